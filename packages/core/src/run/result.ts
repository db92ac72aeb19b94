/** What a run gives: its output, every step's result, its usage and its trace. */

import type { ModelMessage } from "ai";
import type { Results } from "../components/step.js";
import { textBesideSteps } from "../errors/declaration-errors.js";
import { agentUnknown } from "../errors/run-errors.js";
import type { AgentState, RenderContext } from "../render/context.js";
import type { Trace } from "../trace/trace.js";
import type { Usage } from "../trace/usage.js";

/** The result of a run. */
export interface RunResult<T = unknown> {
  /** The only step's result, the record of all when there are several; without a step the text the tree rendered, else undefined. */
  readonly output: T;
  /** Every step's result by id, in authored order; an object without a prototype. */
  readonly steps: Results;
  /** Tokens: `own` of this run, `total` with its child runs. */
  readonly usage: Usage;
  readonly trace: Trace;
  /**
   * The conversation of the agent of that name, to go on with through `<Agent messages>`. Without a name, of the only agent.
   * @throws {RunError} `agent-unknown` when no agent has the name, or several ran and none is given.
   */
  messages(agentName?: string): readonly ModelMessage[];
}

/** The output of what rendered in `context`. */
export function outputOf(context: RenderContext): unknown {
  const { layer, text } = context;
  const steps = layer.results();
  const ids = Object.keys(steps);
  const [written] = text.parts;
  if (ids.length > 0 && written !== undefined) throw textBesideSteps(text.owner, written);
  if (ids.length === 0) return written === undefined ? undefined : text.parts.join("");
  return ids.length === 1 ? steps[ids[0]!] : steps;
}

/** The conversation of an agent that ran. */
export function conversationOf(agents: readonly AgentState[], name: string | undefined): readonly ModelMessage[] {
  const spoke = agents.filter((agent) => agent.conversation.length > 0);
  const found =
    name === undefined ? (spoke.length === 1 ? spoke[0] : undefined) : spoke.findLast((agent) => agent.name === name);
  if (found === undefined)
    throw agentUnknown(
      name,
      spoke.map((agent) => agent.name ?? agent.involved.label),
    );
  return found.conversation;
}
