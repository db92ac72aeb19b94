/** What a node is rendered in: the run, the agent around, the place, and where results go. Handed down the render walk; never changed, only narrowed. */

import type { ModelMessage } from "ai";
import type { JuneElement } from "../element/element.js";
import type { Involved } from "../errors/compose.js";
import type { Scope } from "../capability/scope.js";
import type { NodeHandle, Recorder } from "../trace/recorder.js";
import type { AbortScope } from "./abort-scope.js";
import type { Layer } from "./layer.js";
import type { Strands } from "./strands.js";
import type { TimeLimit } from "./time-limit.js";

/** The components and tags around a node, from the inside out; printed as `<Release> > <Agent>`. */
export interface Frame {
  readonly label: string;
  readonly source: string | undefined;
  readonly outer: Frame | undefined;
  /** How many tags and components are around. */
  readonly depth: number;
  /** Whether it is a component of the author's own. */
  readonly isComponent: boolean;
}

/** Gives the nodes under one path their labels: a count of siblings, and `~2` for repeats. */
export interface Siblings {
  readonly counts: Map<string, number>;
}

/** The text that an agent's body or a run renders, and whether steps stand beside it. */
export interface TextSink {
  readonly parts: string[];
  /** Steps or nested agents rendered beside the text. */
  hasSteps: boolean;
  readonly owner: Involved;
}

/** An agent while its body renders. */
export interface AgentState {
  readonly involved: Involved;
  readonly scope: Scope;
  readonly name: string | undefined;
  /** The conversation: what it was given, and every prompt and answer since. */
  conversation: ModelMessage[];
}

/** What the render walk needs of the run, which comes after it: how agents and steps are run. */
export interface RunOperations {
  /** The id of the outermost run. */
  readonly runId: string;
  /** What stands in for executes, by label, in tests. */
  readonly stubs: Readonly<Record<string, (input: any) => unknown>>;
  readonly recorder: Recorder;
  readonly strands: Strands;
  /** Depth of child runs; 0 for the outermost. */
  readonly depth: number;
  renderAgent(element: JuneElement, context: RenderContext): Promise<void>;
  renderStep(element: JuneElement, context: RenderContext): Promise<void>;
}

/** Where and for whom a node renders. */
export interface RenderContext {
  readonly run: RunOperations;
  readonly agent: AgentState | undefined;
  readonly frame: Frame | undefined;
  /** The trace node around. */
  readonly node: NodeHandle;
  /** What the paths of nodes rendered here start with. */
  readonly path: string;
  readonly siblings: Siblings;
  readonly abort: AbortScope;
  readonly layer: Layer;
  readonly text: TextSink;
  /** Time limits that must not count while a person is asked. */
  readonly timeLimits: TimeLimit | undefined;
  /** The agent around the innermost `<Parallel>`, whose steps may not stand in it. */
  readonly parallelAgent: AgentState | undefined;
  /** `-b1-b0`: the branches around, for the ids of implicit steps. */
  readonly branchSuffix: string;
}

/** `<Release> > <Agent> > <Step id="a">`: the tags around, outermost first. Bounded in the middle. */
export function framePath(frame: Frame | undefined): string {
  const labels: string[] = [];
  for (let part = frame; part !== undefined; part = part.outer) labels.push(part.label);
  labels.reverse();
  const shown =
    labels.length > 24 ? [...labels.slice(0, 12), `… ${labels.length - 24} more …`, ...labels.slice(-12)] : labels;
  return shown.length === 0 ? "the run" : shown.join(" > ");
}

/** The context inside one more tag or component. */
export function withFrame(
  context: RenderContext,
  label: string,
  source: string | undefined,
  isComponent: boolean,
): RenderContext {
  return {
    ...context,
    frame: { label, source, outer: context.frame, depth: (context.frame?.depth ?? 0) + 1, isComponent },
  };
}

/** The nearest component of the author's own around, for messages. */
export function nearestComponent(frame: Frame | undefined): Frame | undefined {
  let part = frame;
  while (part !== undefined && !part.isComponent) part = part.outer;
  return part;
}

/** `/agent[main]`: the next path segment of this kind here. Without a name the label is the index among siblings of the kind; repeats get `~2`. */
export function nextPath(
  context: { readonly path: string; readonly siblings: Siblings },
  kind: string,
  name: string | null | undefined,
): string {
  const { counts } = context.siblings;
  const index = counts.get(kind) ?? 0;
  counts.set(kind, index + 1);
  const segment = `${kind}[${name === undefined || name === null || name === "" ? index : escapeLabel(name)}]`;
  const repeats = (counts.get(segment) ?? 0) + 1;
  counts.set(segment, repeats);
  return `${context.path}/${segment}${repeats === 1 ? "" : `~${repeats}`}`;
}

/** A label keeps to one segment whatever the name holds. */
export function escapeLabel(name: string): string {
  return name.replace(
    /[/[\]~%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
