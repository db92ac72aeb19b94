/** What a run is made of while it goes on: the outermost run's shared parts, one instance for it and for each child run, agents and steps. */

import type { ToolSet } from "ai";
import type { ToolResultOutput } from "@ai-sdk/provider-utils";
import type { Composite } from "../capability/declaration.js";
import type { Scope } from "../capability/scope.js";
import type { AbortScope } from "../render/abort-scope.js";
import type { AgentState, Frame, RenderContext, RunOperations } from "../render/context.js";
import type { Fork, Strands } from "../render/strands.js";
import type { TimeLimit } from "../render/time-limit.js";
import type { NodeHandle, Recorder } from "../trace/recorder.js";
import type { ChildRunOutput } from "../trace/trace.js";
import type { Places, Spending } from "./limits.js";
import type { RunOptions } from "./options.js";
import type { Requests } from "./requests.js";
import type { Toolsets } from "./toolsets.js";

/** Clocks and ids, so that tests can fix them. */
export interface Environment {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly generateRunId: () => string;
}

/** What an outermost run shares with all its child runs. */
export interface SharedRun {
  readonly id: string;
  readonly options: RunOptions;
  readonly environment: Environment;
  readonly recorder: Recorder;
  readonly abort: AbortScope;
  readonly strands: Strands;
  readonly requests: Requests;
  readonly toolsets: Toolsets;
  readonly spending: Spending;
  readonly allowedTools: ReadonlySet<string> | undefined;
  /** Ends the outermost run with this error, whatever runs in it. */
  readonly fail: (error: unknown) => void;
  /** The errors given to `fail`: aborts of June's own making, not of the author's. */
  readonly failures: readonly unknown[];
}

/** One run: the outermost, or the child run of a composite call. */
export interface RunInstance extends RunOperations {
  readonly shared: SharedRun;
  /** `research:` for the steps of a child run: the tools that led here. */
  readonly labelPrefix: string;
  /** The scope `<Inherit>` finds for agents at the top of a child run. */
  readonly parentScope: Scope | undefined;
  /** Whether everything inside was looked at before this run began, as the agents of callable agents are. */
  readonly isLookedAhead: boolean;
  /** Runs a composite's workflow for one call. */
  runChild(call: ChildCall): Promise<ChildRunOutput & { output: unknown }>;
}

/** One call of a composite. */
export interface ChildCall {
  readonly composite: Composite;
  /** The exposed name of the tool. */
  readonly tool: string;
  readonly input: unknown;
  readonly node: NodeHandle;
  readonly abort: AbortScope;
  /** What the call stands in, for errors inside. */
  readonly frame: Frame | undefined;
  /** The limits that must stand still while a person is asked inside. */
  readonly timeLimits: TimeLimit | undefined;
}

/** An agent while it runs. */
export interface RunningAgent extends AgentState {
  readonly instance: RunInstance;
  readonly settings: Readonly<Record<string, any>>;
  readonly node: NodeHandle;
  /** The wrapped tools the SDK gets. */
  readonly tools: ToolSet;
  /** Places for `toolCallConcurrency`, taken once a call may run. */
  readonly places: Places | undefined;
  /** Tool call ids of this conversation, so that one that a model repeats can be told apart. */
  readonly usedCallIds: Set<string>;
  /** The step that runs now: steps of one agent never run at once. */
  step: StepState | undefined;
}

/** A step while it runs. */
export interface StepState {
  readonly agent: RunningAgent;
  readonly id: string;
  readonly context: RenderContext;
  readonly node: NodeHandle;
  readonly abort: AbortScope;
  /** Limits of this step and those around it. */
  readonly timeLimits: TimeLimit | undefined;
  /** The limit of the model call whose tools run, inside `timeLimits`. */
  turnLimit: TimeLimit | undefined;
  /** The model call whose tools run. */
  turn: Turn | undefined;
  modelCalls: number;
  /** Executions that have not settled. */
  readonly inFlight: Set<Promise<unknown>>;
  /** What the model gets of each finished call. */
  readonly modelOutputs: Map<string, ToolResultOutput>;
  /** Names of the tools the last turn called, for errors. */
  lastTools: readonly string[];
  /** An error of a stream, which the SDK would only report as missing output. */
  streamError: unknown;
}

/** One model call and the position of each tool call in it. */
export interface Turn {
  readonly node: NodeHandle;
  readonly modelId: string;
  readonly positions: Map<string, number>;
  /** The calls that June runs, by tool call id. */
  fork: Fork<string> | undefined;
}
