/** A line for each event of a run, as it happens. Pieces of streamed text are no lines of their own. */

import type { RunEvent } from "@june/core";
import { showDuration } from "../options/duration.js";
import { count, showLine, showValue } from "../output/safe-text.js";

/** Makes the lines of one run. */
export class EventLines {
  readonly #startedAtMs = new Map<string, number>();
  readonly #names = new Map<string, string>();
  #runAtMs: number | undefined;

  /** The line of an event, or undefined for a piece of text. */
  lineOf(event: RunEvent): string | undefined {
    if (event.type === "text-delta") return undefined;
    this.#runAtMs ??= event.atMs;
    if ("kind" in event) {
      this.#startedAtMs.set(event.id, event.atMs);
      this.#names.set(event.id, event.name);
    }
    const time = `${((event.atMs - this.#runAtMs) / 1_000).toFixed(1)}s`;
    const what = event.type.replaceAll("-", " ");
    return `${time.padStart(7)}  ${what.padEnd(16)}  ${this.#detailsOf(event)}`.trimEnd();
  }

  #detailsOf(event: Exclude<RunEvent, { type: "text-delta" }>): string {
    const label = showLine(event.label, 120);
    switch (event.type) {
      case "run-start":
        return showLine(event.runId);
      case "component-start":
        return `<${showLine(event.name)}>`;
      case "component-end":
        return this.#ended(event, `<${this.#name(event)}>`);
      case "agent-resolved": {
        const waiting = new Set(event.waits?.map(({ name }) => name));
        const names = (event.capabilities ?? []).map(({ name }) => (waiting.has(name) ? `${name} (waits)` : name));
        return `${label}: ${names.length === 0 ? "no capabilities" : showLine(names.join(", "))}`;
      }
      case "step-start":
        return event.offered.length === 0 ? label : `${label}  with ${showLine(event.offered.join(", "))}`;
      case "step-end":
        return this.#ended(event, label, event.answer);
      case "model-call-start":
        return `${label}  ${showLine(event.model)}`;
      case "model-call-end": {
        const { inputTokens, outputTokens } = event.usage ?? {};
        const tokens =
          event.usage === undefined ? "" : `  ${count(inputTokens ?? 0)} in, ${count(outputTokens ?? 0)} out`;
        return `${this.#ended(event, label)}${tokens}`;
      }
      case "tool-call-start":
        return `${label}  ${showValue(event.input)}`;
      case "tool-call-progress":
        return `${label}  ${showValue(event.value)}`;
      case "tool-call-end":
        return this.#ended(event, label, event.output);
      case "request-open":
        return `${label}  ${showLine(event.name)} waits for ${event.requestKind === "approval" ? "approval" : "an answer"}${event.reason === undefined ? "" : `: ${showLine(event.reason)}`}`;
      case "request-answered":
        return `${label}  ${this.#name(event)} ${event.answer === undefined ? event.status : showAnswer(event.answer)}`;
      case "toolset-start":
        return `${showLine(event.name)} ${event.phase}`;
      case "attempt-start":
        return `${label}  attempt ${event.attempt + 1}`;
      case "note-added":
        return `${label}  ${showLine(`${event.note.code}: ${event.note.text}`, 300)}`;
      case "agent-start":
        return label;
      default:
        return this.#ended(event, event.type === "toolset-end" ? this.#name(event) : label);
    }
  }

  #ended(event: Extract<RunEvent, { status: string }>, what: string, value?: unknown): string {
    const startedAtMs = this.#startedAtMs.get(event.id) ?? event.atMs;
    this.#startedAtMs.delete(event.id);
    const outcome =
      event.status === "ok"
        ? value === undefined
          ? ""
          : `  → ${showValue(value)}`
        : `  ${event.status}${event.error === undefined ? "" : `: ${showLine(event.error.message.replace(/^june: /, "").split("\n", 1)[0] ?? "", 300)}`}`;
    return `${what}${outcome}  ${showDuration(event.atMs - startedAtMs)}`;
  }

  #name({ id }: RunEvent): string {
    const name = this.#names.get(id) ?? "";
    this.#names.delete(id);
    return showLine(name);
  }
}

/** `approved by mara`, `denied by mara: too early`. */
export function showAnswer(answer: { readonly type: string; readonly by?: string; readonly reason?: string }): string {
  const by = answer.by === undefined ? "" : ` by ${showLine(answer.by, 60)}`;
  const reason = answer.reason === undefined ? "" : `: ${showLine(answer.reason, 300)}`;
  return `${answer.type}${by}${reason}`;
}
