/** The events of a run: the facts of its trace as they happen. Written by the stages of a run, read from `handle.events` and by the fold. */

import type { LanguageModelUsage } from "ai";
import type { NodeKind, TraceCapability, TraceError, TraceNote } from "./trace.js";

interface Common {
  /** The node the event is about. */
  readonly id: string;
  readonly path: string;
  /** The display form for people: `research:findings`. */
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

interface Started<K extends NodeKind> extends Common {
  readonly kind: K;
  readonly name: string;
  /** The node around; absent for the outermost run. */
  readonly parentId?: string;
}

interface Ended extends Common {
  readonly status: "ok" | "error" | "aborted";
  readonly error?: TraceError;
}

/** One thing that happened in a run. */
export type RunEvent =
  | (Started<"run"> & { readonly type: "run-start"; readonly runId: string })
  | (Ended & { readonly type: "run-end" })
  | (Started<"component"> & { readonly type: "component-start" })
  | (Ended & { readonly type: "component-end" })
  | (Started<"agent"> & { readonly type: "agent-start" })
  | (Common & {
      readonly type: "agent-resolved";
      readonly capabilities?: readonly TraceCapability[];
      readonly waits?: readonly { readonly name: string; readonly because: string }[];
    })
  | (Ended & { readonly type: "agent-end" })
  | (Started<"step"> & {
      readonly type: "step-start";
      readonly offered: readonly string[];
      readonly offeredSchemas?: Readonly<Record<string, string>>;
      readonly schemas?: Readonly<Record<string, string>>;
      readonly prompt?: unknown;
    })
  | (Ended & { readonly type: "step-end"; readonly answer?: unknown })
  | (Started<"model-call"> & {
      readonly type: "model-call-start";
      readonly model: string;
      readonly messages?: { readonly kept: number; readonly added: unknown };
    })
  | (Ended & {
      readonly type: "model-call-end";
      readonly finishReason?: string;
      readonly usage?: LanguageModelUsage;
      /** The whole text of a call that was not streamed. */
      readonly text?: string;
      readonly content?: unknown;
    })
  | (Common & { readonly type: "tool-call-progress"; readonly value: unknown })
  | (Common & { readonly type: "text-delta"; readonly text: string })
  | (Started<"tool-call"> & {
      readonly type: "tool-call-start";
      readonly toolCallId: string;
      readonly invocation: "model" | "application" | "provider";
      readonly source?: string;
      readonly input: unknown;
    })
  | (Ended & { readonly type: "tool-call-end"; readonly output?: unknown })
  | (Started<"request"> & {
      readonly type: "request-open";
      readonly requestKind: string;
      readonly reason?: string;
      readonly source: string;
      readonly input: unknown;
    })
  | (Ended & {
      readonly type: "request-answered";
      readonly answer?: {
        readonly type: "approved" | "denied" | "answered";
        readonly by?: string;
        readonly reason?: string;
        readonly input?: unknown;
        readonly value?: unknown;
      };
    })
  | (Started<"toolset"> & { readonly type: "toolset-start"; readonly phase: "opening" | "closing" })
  | (Ended & { readonly type: "toolset-end" })
  | (Started<"attempt"> & { readonly type: "attempt-start"; readonly attempt: number })
  | (Ended & { readonly type: "attempt-end" })
  | (Common & { readonly type: "note-added"; readonly note: TraceNote });
