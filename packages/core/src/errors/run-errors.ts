/** One function for each way a run can fail. The whole message is made here; tests compare it whole. This file is long because it is a list. */

import { composeMessage, listNames } from "./compose.js";
import { JuneError, RunError } from "./june-error.js";

/** What an error says, without June's own prefix: for messages that quote another error. */
export function reasonOf(error: unknown): string {
  if (JuneError.isInstance(error)) {
    if (
      (error.code === "component-failed" || error.code === "model-failed" || error.code === "toolset-failed") &&
      error.cause !== undefined
    )
      return reasonOf(error.cause);
    return error.message.startsWith("june: ") ? error.message.slice("june: ".length) : error.message;
  }
  if (error instanceof Error) return error.message === "" ? error.name : error.message;
  if (typeof error === "string") return error === "" ? "an empty message" : error;
  if (error === undefined || error === null) return `${String(error)} was thrown`;
  try {
    return typeof error === "object" ? JSON.stringify(error) : String(error);
  } catch {
    return "a value that cannot be shown was thrown";
  }
}

/** A component, a promise child or a function of the author's threw. `path` is the component path. */
export function componentFailed(path: string, cause: unknown): RunError {
  return new RunError("component-failed", composeMessage(`${path} failed: ${reasonOf(cause)}`, []), {
    details: { path },
    cause,
  });
}

/** Several branches of a `<Parallel>` failed, listed in source order. */
export function parallelFailed(
  path: string,
  failures: readonly { readonly branch: string; readonly error: unknown }[],
): RunError {
  return new RunError(
    "parallel-failed",
    composeMessage(
      `${failures.length} branches of ${path} failed`,
      failures.map(({ branch, error }) => ({ label: `${branch}: ${reasonOf(error).split("\n", 1)[0] ?? ""}` })),
    ),
    {
      details: { path, branches: failures.map(({ branch }) => branch) },
      cause: new AggregateError(
        failures.map(({ error }) => error),
        "branches failed",
      ),
    },
  );
}

/** A waiting toolset did not open. */
export function toolsetFailed(label: string, source: string | undefined, cause: unknown): RunError {
  return new RunError(
    "toolset-failed",
    composeMessage(`${label}${source === undefined ? "" : ` (${source})`} could not be opened: ${reasonOf(cause)}`, []),
    { details: { label, source }, cause },
  );
}

/** A model failed for good. */
export function modelFailed(step: string, modelId: string, cause: unknown): RunError {
  return new RunError(
    "model-failed",
    composeMessage(
      `the model ${JSON.stringify(modelId)} failed in the step ${JSON.stringify(step)}: ${reasonOf(cause)}`,
      [],
    ),
    {
      details: { step, modelId },
      cause,
    },
  );
}

/** A stream of a model ended before it was finished. `cause` is what reading it threw, if it threw. */
export function streamCut(modelId: string, cause?: unknown): RunError {
  return new RunError(
    "stream-cut",
    composeMessage(
      `the stream of the model ${JSON.stringify(modelId)} ended before the answer was finished`,
      [],
      "The connection was probably lost: try again.",
    ),
    {
      details: { modelId },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** A model finished without an answer. */
export function emptyAnswer(step: string, finishReason: string): RunError {
  return new RunError(
    "empty-answer",
    composeMessage(
      `the model gave no answer in the step ${JSON.stringify(step)} (finish reason ${JSON.stringify(finishReason)})`,
      [],
      "Ask for an answer in the prompt, or try another model.",
    ),
    { details: { step, finishReason } },
  );
}

/** An answer was cut off at the model's output limit. */
export function answerCut(step: string): RunError {
  return new RunError(
    "answer-cut",
    composeMessage(
      `the answer of the step ${JSON.stringify(step)} was cut off at the model's output limit`,
      [],
      "Raise maxOutputTokens, or ask for less. Tool calls of a cut answer are never run.",
    ),
    { details: { step } },
  );
}

/** A provider's content filter stopped an answer. */
export function answerFiltered(step: string): RunError {
  return new RunError(
    "answer-filtered",
    composeMessage(
      `the provider's content filter stopped the answer of the step ${JSON.stringify(step)}`,
      [],
      "Change the prompt, or try another model.",
    ),
    {
      details: { step },
    },
  );
}

/** A structured output did not match its schema. */
export function outputInvalid(step: string, cause: unknown): RunError {
  return new RunError(
    "output-invalid",
    composeMessage(
      `the answer of the step ${JSON.stringify(step)} is not the output asked for: ${reasonOf(cause)}`,
      [],
    ),
    { details: { step }, cause },
  );
}

/** The default bound on model calls of one step was reached without an answer. */
export function stepLimit(step: string, modelCalls: number, lastTools: readonly string[]): RunError {
  return new RunError(
    "step-limit",
    composeMessage(
      `the step ${JSON.stringify(step)} made ${modelCalls} model calls without a final answer`,
      [],
      `Its last tool calls were ${listNames(lastTools)}.`,
      "Set stopWhen on the <Agent> to allow more, or make the prompt say when to stop.",
    ),
    { details: { step, modelCalls, lastTools } },
  );
}

/** A limit over the whole tree was reached. */
export function limitReached(limit: string, value: number, path: string, note?: string): RunError {
  return new RunError(
    "limit-reached",
    composeMessage(
      `the run reached limits.${limit} (${value}) at ${path === "" ? "/" : path}`,
      [],
      note,
      `Raise limits.${limit} in the options of run() if this much is meant.`,
    ),
    {
      details: { limit, value, path },
    },
  );
}

/** A time limit of the author's ran out. */
export function timedOut(what: string, timeoutMs: number): RunError {
  return new RunError("timeout", composeMessage(`${what} took longer than ${timeoutMs} ms`, [], undefined), {
    details: { what, timeoutMs },
  });
}

/** A composite tool, callable agent or callable tool failed: the text the calling model sees. */
export function toolFailed(tool: string, cause: unknown): RunError {
  return new RunError(
    "tool-failed",
    composeMessage(`the tool ${JSON.stringify(tool)} failed: ${reasonOf(cause)}`, []),
    { details: { tool }, cause },
  );
}

/** A tool's output holds something JSON cannot hold. */
export function toolOutput(tool: string, path: string, found: string): RunError {
  return new RunError(
    "tool-output",
    composeMessage(
      `the output of the tool ${JSON.stringify(tool)} is not JSON: ${path} is ${found}`,
      [],
      "Return plain data: objects, arrays, text, finite numbers, booleans and null.",
    ),
    {
      details: { tool, path, found },
    },
  );
}

/** An input does not fit a tool's schema. */
export function toolInput(tool: string, cause: unknown): RunError {
  return new RunError(
    "tool-input",
    composeMessage(`the input does not fit the tool ${JSON.stringify(tool)}: ${reasonOf(cause)}`, []),
    { details: { tool }, cause },
  );
}

interface NamedRequest {
  readonly id: string;
  readonly kind: string;
  readonly step: string;
  readonly tool: string;
}

function requestLines(open: readonly NamedRequest[]): { label: string }[] {
  return open.map(({ id, kind, step, tool }) => ({ label: `${id}  ${kind} of ${tool} in ${step}` }));
}

/** A request opened and nobody can answer it. */
export function requestUnanswered(request: NamedRequest, cure?: string): RunError {
  return new RunError(
    "request-unanswered",
    composeMessage(
      `the tool ${JSON.stringify(request.tool)} in ${request.step} waits for ${request.kind === "approval" ? "approval" : "an answer"} and nobody can give it`,
      [],
      cure ??
        "Answer in code with run(element, { onRequest }), read handle.events or handle.requests and call approve(), deny() or answer(), or run it with june run, which asks on the terminal.",
    ),
    { details: { id: request.id, kind: request.kind, step: request.step, tool: request.tool } },
  );
}

/** A held tool was called in a loop of the application's own, and nobody approved the call. */
export function toolUnapproved(tool: string): RunError {
  return new RunError(
    "request-unanswered",
    composeMessage(
      `the tool ${JSON.stringify(tool)} waits for approval and nobody approved this call`,
      [],
      "Pass the toolApproval of resolveTools() to the loop beside its tools, or give resolveTools() an onRequest.",
    ),
    { details: { kind: "approval", tool } },
  );
}

/** Resources opened by `resolveTools` did not close well. */
export function toolsetsUnclosed(problems: readonly string[]): RunError {
  return new RunError(
    "toolset-unclosed",
    composeMessage(
      "not everything could be closed",
      problems.map((label) => ({ label })),
      "Everything else is closed. What is named here may still hold a connection or a process: end it by itself.",
    ),
    { details: { problems } },
  );
}

/** There is no open request of that id. */
export function requestUnknown(id: string, open: readonly NamedRequest[]): RunError {
  return new RunError(
    "request-unknown",
    composeMessage(
      `there is no request ${JSON.stringify(id)}`,
      [],
      open.length === 0 ? "No request is open." : undefined,
      ...(open.length === 0 ? [] : ["Open are:", ...requestLines(open).map(({ label }) => `  ${label}`)]),
    ),
    {
      details: { id, open: open.map((request) => request.id) },
    },
  );
}

/** A request was answered before. */
export function requestAnswered(id: string): RunError {
  return new RunError(
    "request-answered",
    composeMessage(`the request ${JSON.stringify(id)} has been answered already`, [], "The first answer holds."),
    { details: { id } },
  );
}

/** No id was given while none or several requests are open. */
export function requestAmbiguous(open: readonly NamedRequest[]): RunError {
  return new RunError(
    "request-ambiguous",
    open.length === 0
      ? composeMessage("no request is open", [], "Wait for a request-open event.")
      : composeMessage(`${open.length} requests are open`, requestLines(open), "Give the id of the one you mean."),
    { details: { open: open.map((request) => request.id) } },
  );
}

/** A request was answered in the way of another kind. */
export function requestKind(id: string, kind: string, method: string): RunError {
  return new RunError(
    "request-kind",
    composeMessage(
      `the request ${JSON.stringify(id)} is of kind ${JSON.stringify(kind)} and cannot be answered with ${method}()`,
      [],
      kind === "input" ? "Use answer(id, value), or deny(id)." : "Use approve(id) or deny(id).",
    ),
    { details: { id, kind, method } },
  );
}

/** No conversation of that agent, or several and no name given. */
export function agentUnknown(name: string | undefined, existing: readonly string[]): RunError {
  const names =
    existing.length === 0 ? "No agent with a conversation ran." : `Agents of this run: ${listNames(existing)}.`;
  return new RunError(
    "agent-unknown",
    composeMessage(
      name === undefined
        ? `${existing.length} agents ran, so messages() needs a name`
        : `no agent named ${JSON.stringify(name)} ran`,
      [],
      names,
    ),
    {
      details: { name, existing },
    },
  );
}

/** A tool was called by something that outlived the agent it was granted to. */
export function toolRevoked(tool: string): RunError {
  return new RunError(
    "tool-revoked",
    composeMessage(
      `the tool ${JSON.stringify(tool)} was called after the agent it belongs to had ended`,
      [],
      "A grant ends with its agent: call the tool while a step of the agent runs.",
    ),
    { details: { tool } },
  );
}

/** A document is no trace that this version reads. `problem` says what is wrong with it and where. */
export function traceInvalid(problem: string, cure: string, details: Record<string, unknown>): RunError {
  return new RunError("trace-invalid", composeMessage(`this is not a trace June can read: ${problem}`, [], cure), {
    details,
  });
}
