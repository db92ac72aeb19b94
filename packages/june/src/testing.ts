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
export { recordScript, scopeOf, type AgentScope } from "@june/core/testing";
