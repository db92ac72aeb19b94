/** `resolveTools`: the tools of bundles and wrappers for a loop of the application's own, resolved as an agent's children are. */

import type { ToolSet } from "ai";
import type { ToolsetDefinition, WaitingToolset } from "../components/define-toolset.js";
import type { Declaration } from "../capability/declaration.js";
import type { Verdict } from "../capability/approval.js";
import { lookAhead, resolveAgent, type ResolveContext } from "../capability/resolve.js";
import { checkSchema } from "../capability/schema.js";
import { isProviderExecuted, listCapabilities, withoutPrototype, type Capability } from "../capability/scope.js";
import { isElement, isPromiseLike, type JuneElement, type JuneNode } from "../element/element.js";
import { invalidNodeError } from "../element/invalid.js";
import { describeNode } from "../element/label.js";
import { capabilityContent } from "../errors/declaration-errors.js";
import { JuneError } from "../errors/june-error.js";
import { toolsetsUnclosed } from "../errors/run-errors.js";
import { checkOutput, lastValue } from "../render/call-tool.js";
import { nextPath } from "../render/context.js";
import { ToolFailure, type ExecuteOptions } from "./invoke-tool.js";
import { defaultMaxToolOutputBytes, toModelOutput } from "./model-output.js";
import { checkOptions, checksFor, defaultLimits, type RunOptions } from "./options.js";
import { OutsideApproval, type ToolApproval } from "./outside-approval.js";
import { followSignal, OutsideCalls } from "./outside-call.js";
import { defaultEnvironment, openRun } from "./shared-run.js";

/** What `resolveTools` can be told: the options of `run` that mean something without a run. */
export interface ResolveToolsOptions {
  /** Aborts the opening of toolsets, and later every workflow behind a tool. */
  readonly signal?: AbortSignal;
  /** The AI SDK's `runtimeContext` of the agents behind tools. */
  readonly context?: Record<string, unknown>;
  /** For the agents behind tools that have no model of their own. */
  readonly model?: NonNullable<RunOptions["model"]>;
  /** Answers what workflows behind tools ask, and held calls that the loop itself did not have approved. */
  readonly onRequest?: NonNullable<RunOptions["onRequest"]>;
}

/** Tools for `generateText`, `streamText`, `ToolLoopAgent` or another loop. */
export interface ResolvedTools {
  /** Ordinary AI SDK tools by exposed name, in source order; frozen, without a prototype. Held ones carry `needsApproval`. */
  readonly tools: ToolSet;
  /** To be passed beside the tools: every rule that may hold them, composed. Tools of others in the same set keep their own rule. */
  readonly toolApproval: ToolApproval;
  /** Where each tool comes from. */
  readonly capabilities: readonly Capability[];
  /**
   * Ends what still runs and closes what was opened, the last opened first.
   * @throws {RunError} `toolset-unclosed` when one of them failed to close; all were tried.
   */
  close(): Promise<void>;
}

const known = ["signal", "context", "model", "onRequest"] as const satisfies readonly (keyof ResolveToolsOptions)[];
const place = { label: "resolveTools()" };

/**
 * Resolves capabilities without a run.
 * @param element a bundle, wrapper, toolset or other capability, or a fragment of several
 * @throws {DeclarationError} every mistake of scope that an agent with these children would have, and `capability-content` for anything else than capabilities.
 * @throws {RunError} `toolset-failed`; the reason of an abort as it is.
 * @see docs/guide/app-you-have.md
 */
export async function resolveTools(element: JuneElement, options: ResolveToolsOptions = {}): Promise<ResolvedTools> {
  const { expectObject, refuseUnknown } = checksFor(place.label);
  expectObject("the options", options);
  refuseUnknown("", Object.keys(options), known);
  checkOptions(options, place.label);
  if (!isElement(element)) throw invalidNodeError(element, place.label, undefined);
  const { signal, ...shared } = options;
  const { shared: opened, node } = openRun(shared, defaultLimits, defaultEnvironment);
  const { abort, toolsets, recorder } = opened;
  const leave = followSignal(signal, abort);
  const context: Omit<ResolveContext, "open" | "parent"> = {
    allowedTools: undefined,
    runtimeContext: options.context,
    hasDefaultModel: options.model !== undefined,
    path: place.label,
  };
  const siblings = { counts: new Map<string, number>() };
  const open = (definition: ToolsetDefinition, toolset: JuneElement, label: string): Promise<ToolSet> =>
    toolsets.open(
      definition as WaitingToolset<never>,
      toolset,
      label,
      abort,
      node,
      nextPath({ path: "", siblings }, "toolset", label),
    );
  const calls = new OutsideCalls(shared, abort);
  const close = async (): Promise<void> => {
    abort.abort(new DOMException("the tools were closed", "AbortError"));
    leave();
    await calls.settle();
    await toolsets.close(node);
    const { root } = recorder.fold.traceOf();
    const notes = [root, ...root.children].flatMap((part) => part.notes ?? []);
    if (notes.length > 0) throw toolsetsUnclosed(notes.map(({ text }) => text));
  };
  try {
    abort.throwIfAborted();
    const { scope, body } = await resolveAgent(place, {}, element, { ...context, parent: undefined, open });
    abort.throwIfAborted();
    checkBody(body);
    lookAhead(scope, context);
    const approval = new OutsideApproval(scope.byName);
    const tools = scope.declarations.map(
      (declaration) => [declaration.name, Object.freeze(toTool(declaration, approval, calls))] as const,
    );
    let closing: Promise<void> | undefined;
    return Object.freeze({
      tools: Object.freeze(withoutPrototype(tools)) as ToolSet,
      toolApproval: approval.toolApproval,
      capabilities: listCapabilities(scope),
      close: () => (closing ??= close()),
    });
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

function checkBody([first]: readonly JuneNode[]): void {
  if (first === undefined) return;
  throw capabilityContent(
    place,
    isElement(first) ? describeNode(first) : isPromiseLike(first) ? "a promise" : describeNode(first),
    isElement(first) ? first.source : undefined,
    "Give capabilities only: what would stand among an <Agent>'s children to say what it can do.",
  );
}

/** The declaration as an ordinary tool that can do without June around it. */
function toTool(declaration: Declaration, approval: OutsideApproval, calls: OutsideCalls): Declaration["tool"] {
  const { tool, composite, name, rules } = declaration;
  if (isProviderExecuted(declaration)) return tool;
  const execute = executeOf(declaration, calls);
  const needsApproval = rules.some(({ fixed }) => fixed !== undefined)
    ? true
    : async (input: unknown, { toolCallId, messages, context }: ExecuteOptions) =>
        (await approval.judge(name, rules, { toolCallId, input, messages, context: context as unknown })).type !==
        "none";
  return {
    ...tool,
    inputSchema: checkSchema(tool.inputSchema).schema ?? tool.inputSchema,
    needsApproval: rules.length === 0 ? undefined : needsApproval,
    ...(execute === undefined
      ? {}
      : { execute: rules.length === 0 ? execute : heldExecute(declaration, execute, approval, calls) }),
    ...(composite === undefined
      ? {}
      : {
          toModelOutput: (part: { toolCallId: string; input: unknown; output: unknown }) =>
            toModelOutput(declaration, part, defaultMaxToolOutputBytes),
        }),
  } as unknown as Declaration["tool"];
}

type Execute = (input: any, options: ExecuteOptions) => unknown;

function executeOf(declaration: Declaration, calls: OutsideCalls): Execute | undefined {
  const { tool, composite, callable } = declaration;
  if (composite !== undefined) return (input, options) => calls.runComposite(declaration, input, options);
  if (callable === undefined) return tool.execute as Execute | undefined;
  return async (input, options) => {
    try {
      const given = { ...options, idempotencyKey: options.toolCallId };
      return await checkOutput(callable, await lastValue(callable.execute(input as never, given as never), undefined));
    } catch (error) {
      throw JuneError.isInstance(error) ? new ToolFailure(error.message, { cause: error }) : error;
    }
  };
}

/** `execute` of a held tool: it runs what was approved in the loop's own messages or by `onRequest`, and nothing else, whatever the loop was told. */
function heldExecute(
  declaration: Declaration,
  execute: Execute,
  approval: OutsideApproval,
  calls: OutsideCalls,
): Execute {
  const { name, rules } = declaration;
  return (input, options) => {
    const { toolCallId, context, messages = [] } = options;
    const admit = ({ type, reason }: Verdict): unknown =>
      type === "none" || approval.takeAnswer(toolCallId, input, messages)
        ? execute(input, options)
        : calls
            .ask(declaration, input, reason, options)
            .then((admitted) => lastValue(execute(admitted, options), undefined));
    const verdict = approval.judge(name, rules, { toolCallId, input: input as unknown, messages, context });
    return isPromiseLike(verdict) ? verdict.then((judged) => lastValue(admit(judged), undefined)) : admit(verdict);
  };
}
