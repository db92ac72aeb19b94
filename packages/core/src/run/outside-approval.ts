/** Approval of calls in a loop of the application's own: every rule composed for the SDK's own flow, and a look at what was answered before a held call runs. */

import type { GenericToolApprovalFunction, ModelMessage, ToolSet } from "ai";
import { evaluateRules, ownRule, type ApprovalCall, type ApprovalRule, type Verdict } from "../capability/approval.js";
import type { Declaration } from "../capability/declaration.js";
import { isPromiseLike } from "../element/element.js";

/** The SDK's form of an approval function over every tool. */
export type ToolApproval = GenericToolApprovalFunction<any, any, any>;

interface Judged {
  readonly name: string;
  readonly input: string | undefined;
  readonly verdict: Verdict | Promise<Verdict>;
}

/** Held calls whose verdict is remembered for the answer to come; more are judged a second time then. */
const maxHeld = 1_000;

/** Asks the rules of a set of tools, once for each call. */
export class OutsideApproval {
  readonly #tools: ReadonlyMap<string, Declaration>;
  /** What was judged in one step of a loop, known by the messages the SDK hands to rules and tools alike: ids repeat, also across conversations. */
  readonly #steps = new WeakMap<object, Map<string, Judged>>();
  readonly #held = new Map<string, Judged>();

  constructor(tools: ReadonlyMap<string, Declaration>) {
    this.#tools = tools;
  }

  /** The SDK's `toolApproval`. Tools that others put beside these keep their own `needsApproval`, which the SDK would not ask any more. */
  readonly toolApproval: ToolApproval = async ({ toolCall, tools, toolsContext, messages }) => {
    const { toolName, toolCallId, input, providerExecuted } = toolCall;
    if (providerExecuted === true) return undefined;
    const rules = [...(this.#tools.get(toolName)?.rules ?? []), ...this.#foreignRules(toolName, tools)];
    const verdict = await this.judge(toolName, rules, {
      toolCallId,
      input: input as unknown,
      messages,
      context: (toolsContext as Record<string, unknown> | undefined)?.[toolName],
    });
    if (verdict.type === "none") return undefined;
    return { type: verdict.type, ...(verdict.reason === undefined ? {} : { reason: verdict.reason }) };
  };

  /** What the rules say of a call. */
  judge(name: string, rules: readonly ApprovalRule[], call: ApprovalCall): Verdict | Promise<Verdict> {
    const { toolCallId, messages } = call;
    const input = textOf(call.input);
    const isSame = (other: Judged | undefined): other is Judged =>
      input !== undefined && other?.name === name && other.input === input;
    const step = this.#steps.get(messages) ?? new Map<string, Judged>();
    this.#steps.set(messages, step);
    const known = step.get(toolCallId);
    if (isSame(known)) return known.verdict;
    const held = this.#held.get(toolCallId);
    const verdict = isSame(held) ? held.verdict : evaluateRules(rules, call);
    const judged: Judged = { name, input, verdict };
    step.set(toolCallId, judged);
    if (isPromiseLike(verdict)) void verdict.then(({ type }) => this.#keep(toolCallId, judged, type));
    else this.#keep(toolCallId, judged, verdict.type);
    return verdict;
  }

  #keep(toolCallId: string, judged: Judged, type: Verdict["type"]): void {
    if (type === "none") return;
    this.#held.delete(toolCallId);
    this.#held.set(toolCallId, judged);
    const [oldest] = this.#held.keys();
    if (this.#held.size > maxHeld) this.#held.delete(oldest!);
  }

  /** Whether a person approved this call in `messages`. An approval counts once. */
  takeAnswer(toolCallId: string, input: unknown, messages: readonly ModelMessage[]): boolean {
    if (!isApproved(toolCallId, textOf(input), messages)) return false;
    this.#held.delete(toolCallId);
    return true;
  }

  #foreignRules(name: string, tools: ToolSet | undefined): readonly ApprovalRule[] {
    const tool = tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (tool === undefined || this.#tools.has(name)) return [];
    const rule = ownRule(tool as Declaration["tool"]);
    return rule === undefined ? [] : [rule];
  }
}

/** Whether the last message answers the request for this very call with yes, and nothing there is its result. */
function isApproved(toolCallId: string, input: string | undefined, messages: readonly ModelMessage[]): boolean {
  const answers = messages.at(-1);
  if (answers?.role !== "tool" || input === undefined) return false;
  const asked = messages.findLast((message) =>
    partsOf(message).some((part) => part.type === "tool-call" && part.toolCallId === toolCallId),
  );
  if (asked?.role !== "assistant") return false;
  const calls = partsOf(asked).filter((part) => part.type === "tool-call" && part.toolCallId === toolCallId);
  // Of two calls with one id a person saw one, and the other might run.
  if (calls.length !== 1 || textOf(calls[0]!.input) !== input) return false;
  const requests = new Set(
    partsOf(asked).flatMap((part) =>
      part.type === "tool-approval-request" && part.toolCallId === toolCallId && part.isAutomatic !== true
        ? [part.approvalId]
        : [],
    ),
  );
  return (
    partsOf(answers).some(
      (part) => part.type === "tool-approval-response" && part.approved === true && requests.has(part.approvalId),
    ) && !partsOf(answers).some((part) => part.type === "tool-result" && part.toolCallId === toolCallId)
  );
}

/** A part of a message, as far as approvals look at it. */
interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly approvalId?: string;
  readonly approved?: boolean;
  readonly isAutomatic?: boolean;
  readonly input?: unknown;
}

function partsOf({ content }: ModelMessage): readonly Part[] {
  return typeof content === "string" ? [] : (content as readonly Part[]);
}

function textOf(input: unknown): string | undefined {
  try {
    return JSON.stringify(input) ?? "undefined";
  } catch {
    return undefined;
  }
}
