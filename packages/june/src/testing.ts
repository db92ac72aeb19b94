/** The public names of june/testing: those of @june/core/testing. */

export {
  echoModel,
  scriptedModel,
  type Expectation,
  type ModelCallRecord,
  type ScriptEntry,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
} from "@june/core/testing";
export {
  checkCapabilities,
  recordScript,
  scopeOf,
  type AgentScope,
  type CapabilityCheck,
  type CapabilityProblem,
  type CapabilityReport,
  type CheckOptions,
} from "@june/core/testing";
