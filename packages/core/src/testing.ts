/** The public names of @june/core/testing. */

export { echoModel } from "./testing/echo-model.js";
export type { Expectation } from "./testing/expectation.js";
export { recordScript } from "./testing/record-script.js";
export { scopeOf, type AgentScope } from "./testing/scope-of.js";
export {
  scriptedModel,
  type ModelCallRecord,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
  type ScriptEntry,
} from "./testing/scripted-model.js";
export {
  checkCapabilities,
  type CapabilityCheck,
  type CapabilityProblem,
  type CapabilityReport,
  type CheckOptions,
} from "./testing/check-capabilities.js";
