/** Renders the children of a `<Catch>`, again after a failure, and then its fallback. A failed attempt leaves nothing behind. */

import { checkProps } from "../components/check-props.js";
import { catchRules, type CatchProps } from "../components/catch.js";
import type { JuneElement, JuneNode } from "../element/element.js";
import { labelOf } from "../element/label.js";
import { isDeclarationError, JuneError } from "../errors/june-error.js";
import { nextPath, withFrame, type RenderContext } from "./context.js";
import { Layer } from "./layer.js";
import { settle } from "./settle.js";

/** @throws the last error, when no fallback takes it; aborts, reached limits and declaration errors at once. */
export async function renderCatch(
  element: JuneElement,
  context: RenderContext,
  renderNode: (node: JuneNode, context: RenderContext) => Promise<void>,
): Promise<void> {
  checkProps(element, catchRules);
  const { retries = 0, delayMs = 0, when, fallback, children } = element.props as CatchProps;
  const inner = withFrame(context, labelOf(element), element.source, false);
  const path = nextPath(context, "catch", element.key);
  for (let attempt = 0; ; attempt++) {
    try {
      return await renderAttempt(children, inner, path, attempt, renderNode);
    } catch (error) {
      if (
        context.abort.isAborted ||
        !isCatchable(error) ||
        (when !== undefined && !(await settle(() => when(error), inner)))
      )
        throw error;
      if (attempt < retries) {
        const waitMs = typeof delayMs === "number" ? delayMs : await settle(() => delayMs(attempt + 1), inner);
        if (waitMs > 0) await context.abort.sleep(waitMs);
        continue;
      }
      if (fallback === undefined) throw error;
      return renderNode(await settle(() => fallback(error), inner), inner);
    }
  }
}

async function renderAttempt(
  children: JuneNode,
  context: RenderContext,
  path: string,
  attempt: number,
  renderNode: (node: JuneNode, context: RenderContext) => Promise<void>,
): Promise<void> {
  const { recorder } = context.run;
  const attemptPath = `${path}/attempt[${attempt}]`;
  const node = recorder.start({
    type: "attempt-start",
    name: `attempt ${attempt}`,
    path: attemptPath,
    label: context.node.label,
    parentId: context.node.id,
    attempt,
  });
  const layer = new Layer(context.layer);
  const messages = context.agent?.conversation.length;
  const { parts } = context.text;
  const before = { parts: parts.length, hasSteps: context.text.hasSteps };
  try {
    await renderNode(children, { ...context, path: attemptPath, siblings: { counts: new Map() }, layer, node });
    layer.keep();
    recorder.end(node, { type: "attempt-end" });
  } catch (error) {
    layer.drop();
    if (context.agent !== undefined) context.agent.conversation = context.agent.conversation.slice(0, messages);
    parts.length = before.parts;
    context.text.hasSteps = before.hasSteps;
    recorder.fail(node, { type: "attempt-end" }, error, context.abort.isReason(error));
    throw error;
  }
}

function isCatchable(error: unknown): error is JuneError {
  if (!JuneError.isInstance(error) || isDeclarationError(error) || error.code === "limit-reached") return false;
  // Several branches fail with one error, which is no better than the worst of them.
  return error.code !== "parallel-failed" || (error.cause as AggregateError).errors.every(isCatchable);
}
