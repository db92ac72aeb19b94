/** What may hold a tool call. Every rule is asked, the strictest verdict wins, and no rule can take another's away. */

import type { ModelMessage, Tool as SdkTool, ToolSet } from "ai";
import { isPromiseLike } from "../element/element.js";

/** A call as a rule sees it. */
export interface ApprovalCall {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly messages: readonly ModelMessage[];
  /** The tool's own context as the call will run with it: prepareStep may have changed what the agent was given. */
  readonly context: unknown;
}

/** What the rules say together. */
export interface Verdict {
  readonly type: "none" | "user-approval" | "denied";
  readonly reason?: string;
}

/** One rule: a fixed verdict, or a function of the call that gives the SDK's approval status. */
export interface ApprovalRule {
  /** Where the rule stands, for `waits` of the trace. */
  readonly because: string;
  readonly fixed?: Verdict;
  readonly ask?: (call: ApprovalCall) => unknown;
  /** Whether it is an agent's one function over every tool, which names none of them. */
  readonly isGeneral?: true;
}

/** The policy of an agent: the settings of its own that govern its tools. */
export interface AgentPolicy {
  readonly toolApproval: unknown;
  readonly toolsContext: Readonly<Record<string, unknown>>;
  readonly runtimeContext: unknown;
}

/** The rule of `<RequireApproval>`. */
export function wrapperRule(reason: string | undefined): ApprovalRule {
  return {
    because: "<RequireApproval>",
    fixed: { type: "user-approval", ...(reason === undefined ? {} : { reason }) },
  };
}

/** The rule of a tool's own `needsApproval`, if it has one. */
export function ownRule({ needsApproval }: SdkTool<any, any, any>): ApprovalRule | undefined {
  if (typeof needsApproval !== "function")
    return needsApproval ? { because: "needsApproval", fixed: { type: "user-approval" } } : undefined;
  return {
    because: "needsApproval()",
    ask: ({ input, toolCallId, messages, context }) => {
      const answer: unknown = needsApproval(input, {
        toolCallId,
        messages: messages as ModelMessage[],
        context: context as never,
      });
      return isPromiseLike(answer)
        ? answer.then((value) => (value ? "user-approval" : undefined))
        : answer
          ? "user-approval"
          : undefined;
    },
  };
}

/** The rule of an agent's `toolApproval` for the tool it exposes as `name`, if there is one. `tools` is the agent's set, as the SDK's function form gets it. */
export function settingRule(policy: AgentPolicy, name: string, tools: () => ToolSet): ApprovalRule | undefined {
  const { toolApproval, toolsContext, runtimeContext } = policy;
  if (typeof toolApproval === "function") {
    return {
      because: "toolApproval()",
      isGeneral: true,
      ask: ({ input, toolCallId, messages, context }) =>
        (toolApproval as (options: object) => unknown)({
          toolCall: { type: "tool-call", toolCallId, toolName: name, input },
          tools: tools(),
          toolsContext: context === undefined ? toolsContext : { ...toolsContext, [name]: context },
          runtimeContext,
          messages,
        }),
    };
  }
  const own =
    typeof toolApproval === "object" && toolApproval !== null && Object.hasOwn(toolApproval, name)
      ? (toolApproval as Record<string, unknown>)[name]
      : undefined;
  if (own === undefined) return undefined;
  if (typeof own !== "function") {
    const fixed = normalizeStatus(own);
    return fixed.type === "none" ? undefined : { because: "toolApproval", fixed };
  }
  return {
    because: "toolApproval()",
    ask: ({ input, toolCallId, messages, context }) =>
      (own as (input: unknown, options: object) => unknown)(input, {
        toolCallId,
        messages,
        toolContext: context,
        runtimeContext,
      }),
  };
}

/** Whether a rule denies every call. */
export function isDenial({ fixed }: ApprovalRule): boolean {
  return fixed?.type === "denied";
}

/** Asks every rule about one call, all of them once. A rule that throws asks the person, with its message as the reason. */
export function evaluateRules(rules: readonly ApprovalRule[], call: ApprovalCall): Verdict | Promise<Verdict> {
  if (rules.length === 0) return noVerdict;
  const verdicts: (Verdict | Promise<Verdict>)[] = rules.map((rule) => rule.fixed ?? askRule(rule, call));
  return verdicts.some(isPromiseLike) ? Promise.all(verdicts).then(strictest) : strictest(verdicts as Verdict[]);
}

const noVerdict: Verdict = Object.freeze({ type: "none" });
const strictness = { none: 0, "user-approval": 1, denied: 2 } as const;

function askRule(rule: ApprovalRule, call: ApprovalCall): Verdict | Promise<Verdict> {
  try {
    // A rule that changes the input it is shown must not change what runs.
    const status = rule.ask?.({ ...call, input: cloneData(call.input) });
    return isPromiseLike(status)
      ? Promise.resolve(status).then(normalizeStatus, askBecauseOf)
      : normalizeStatus(status);
  } catch (error) {
    return askBecauseOf(error);
  }
}

function askBecauseOf(error: unknown): Verdict {
  return { type: "user-approval", reason: error instanceof Error ? error.message : String(error) };
}

function normalizeStatus(status: unknown): Verdict {
  const { type, reason } = (typeof status === "object" && status !== null ? status : { type: status }) as {
    type?: unknown;
    reason?: unknown;
  };
  switch (type) {
    case undefined:
    case "not-applicable":
    case "approved":
      return noVerdict;
    case "denied":
    case "user-approval":
      return { type, ...(typeof reason === "string" && reason !== "" ? { reason } : {}) };
    default:
      return {
        type: "user-approval",
        reason: `an approval rule gave ${JSON.stringify(type) ?? String(type)}, which is no status`,
      };
  }
}

function strictest(verdicts: readonly Verdict[]): Verdict {
  const type = verdicts.reduce<Verdict["type"]>(
    (worst, verdict) => (strictness[verdict.type] > strictness[worst] ? verdict.type : worst),
    "none",
  );
  const reasons = [
    ...new Set(
      verdicts
        .filter((verdict) => verdict.type === type)
        .flatMap(({ reason }) => (reason === undefined ? [] : [reason])),
    ),
  ];
  return { type, ...(reasons.length === 0 ? {} : { reason: reasons.join("; ") }) };
}

/**
 * A deep copy of plain data. What is no plain data stays the object it is: a copy of a class instance would lose what it
 * holds in private, and show a person something else than what runs.
 */
export function cloneData<T>(value: T): T {
  return clonePart(value, 0) as T;
}

function clonePart(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isList = Array.isArray(value);
  if (!isList && prototype !== Object.prototype && prototype !== null)
    return isCopied(value) ? structuredClone(value) : value;
  // Deeper data, and data that contains itself, is left to the platform.
  if (depth > 200) return cloneDeep(value);
  if (isList) return value.map((part) => clonePart(part, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const part = clonePart((value as Record<string, unknown>)[key], depth + 1);
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: part, enumerable: true, configurable: true, writable: true });
    else copy[key] = part;
  }
  return copy;
}

function isCopied(value: object): boolean {
  return value instanceof Date || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value);
}

function cloneDeep<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
