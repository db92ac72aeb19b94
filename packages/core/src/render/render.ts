/** The render walk: components, promises, text and tags, strictly in order. Awaits between levels, so depth is not bounded by the JS stack. */

import { componentName, labelOf } from "../element/label.js";
import { leavesOf, type Leaf } from "../element/children.js";
import { isPromiseLike, type Component, type JuneElement, type JuneNode } from "../element/element.js";
import { invalidNodeError, invalidTypeError } from "../element/invalid.js";
import { isCapabilityKind, tagInfo } from "../element/kind.js";
import { misplacedCapability, textBesideSteps } from "../errors/declaration-errors.js";
import { componentFailed } from "../errors/run-errors.js";
import { renderCatch } from "./catch.js";
import { framePath, nearestComponent, nextPath, withFrame, type RenderContext } from "./context.js";
import { renderParallel } from "./parallel.js";
import { settle, settleActive } from "./settle.js";

/**
 * Renders `node` and everything in it to its end.
 * @throws {JuneError} what stands in the tree wrongly or fails, or the reason of an abort as it is.
 */
export async function renderNode(node: JuneNode, context: RenderContext): Promise<void> {
  // A chain of components that answer at once would grow the stack.
  if (context.frame !== undefined && context.frame.depth % 64 === 0) await undefined;
  for (const leaf of leavesOf(node)) await renderLeaf(leaf, context);
}

/** Renders one leaf of a walk over nodes. */
export async function renderLeaf(leaf: Leaf, context: RenderContext): Promise<void> {
  switch (leaf.kind) {
    case "text":
      addText(leaf.text, context);
      return;
    case "promise":
      return renderNode((await settle(() => leaf.promise, context)) as JuneNode, context);
    case "element":
      context.abort.throwIfAborted();
      return renderElement(leaf.element, context);
    case "cycle":
      throw componentFailed(framePath(context.frame), new TypeError("an array contains itself"));
    case "failed":
      throw context.abort.isReason(leaf.error) ? leaf.error : componentFailed(framePath(context.frame), leaf.error);
    case "invalid":
      throw invalidNodeError(leaf.value, framePath(context.frame), context.frame?.source);
  }
}

async function renderElement(element: JuneElement, context: RenderContext): Promise<void> {
  const invalid = invalidTypeError(element, framePath(context.frame));
  if (invalid !== undefined) throw invalid;
  const kind = tagInfo(element.type)?.kind;
  switch (kind) {
    case undefined:
      return renderComponent(element, context);
    case "agent":
      return context.run.renderAgent(element, context);
    case "step":
      return context.run.renderStep(element, context);
    case "parallel":
      return renderParallel(element, context, renderLeaf);
    case "catch":
      return renderCatch(element, context, renderNode);
    case "fragment":
      return renderNode((element.props as { children?: JuneNode }).children, context);
    default:
      if (isCapabilityKind(kind))
        throw misplacedCapability({ label: labelOf(element), source: element.source }, placeOf(context));
  }
}

function placeOf(context: RenderContext): string | undefined {
  const component = nearestComponent(context.frame)?.label;
  if (context.frame === undefined || (context.agent === undefined && component === undefined)) return undefined;
  if (component !== undefined && context.frame.isComponent) return `the component ${component}`;
  return context.frame.label;
}

async function renderComponent(element: JuneElement, context: RenderContext): Promise<void> {
  const name = componentName(element.type);
  const inner = withFrame(context, labelOf(element), element.source, true);
  const { recorder } = context.run;
  const path = nextPath(context, "component", name);
  const node = recorder.start({
    type: "component-start",
    name,
    path,
    label: context.node.label,
    parentId: context.node.id,
  });
  try {
    const content = settleActive(() => (element.type as Component)(element.props), { ...inner, node });
    await renderNode((isPromiseLike(content) ? await content : content) as JuneNode, { ...inner, node });
    recorder.end(node, { type: "component-end" });
  } catch (error) {
    recorder.fail(node, { type: "component-end" }, error, context.abort.isReason(error));
    throw error;
  }
}

/** Takes text in: the prompt of an agent without steps, or the output of a run without any. */
function addText(text: string, context: RenderContext): void {
  if (context.text.hasSteps) throw textBesideSteps(context.text.owner, text);
  context.text.parts.push(text);
}
