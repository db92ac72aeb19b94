/** A request: a question of a run to a person or to the code that started it. */

/** One open question. Frozen; `input` is exactly what will run. */
export interface Request {
  readonly id: string;
  readonly kind: "approval" | "input";
  readonly path: string;
  /** The step that asks, as people see it: `research:findings`. */
  readonly step: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason?: string;
  /** The declaration of the tool. */
  readonly source: string;
  /** The name of the agent, or how it reads. */
  readonly agent: string;
}

/** What `onRequest` may answer. */
export type Answer =
  | { readonly approved: boolean; readonly reason?: string; readonly by?: string; readonly input?: unknown }
  | { readonly answer: unknown; readonly by?: string };

/** How a request ended. */
export type Decision =
  | {
      readonly type: "approved";
      readonly input?: { readonly value: unknown };
      readonly reason?: string;
      readonly by?: string;
    }
  | { readonly type: "denied"; readonly reason?: string; readonly by?: string }
  | { readonly type: "answered"; readonly value: unknown; readonly by?: string };
