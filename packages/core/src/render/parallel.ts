/** Runs the branches of a `<Parallel>` at once. Results are merged in authored order; the first failure ends the others. */

import { checkProps } from "../components/check-props.js";
import { parallelRules } from "../components/parallel.js";
import { leavesOf, type Leaf } from "../element/children.js";
import type { JuneElement, JuneNode } from "../element/element.js";
import { describeNode, labelOf } from "../element/label.js";
import { textBesideSteps } from "../errors/declaration-errors.js";
import { parallelFailed } from "../errors/run-errors.js";
import { escapeLabel, framePath, nextPath, withFrame, type RenderContext, type TextSink } from "./context.js";
import { Layer } from "./layer.js";

/** Why a branch was ended: another one failed. */
class SiblingFailed extends DOMException {
  constructor() {
    super("another branch of the <Parallel> failed", "AbortError");
  }
}

interface Branch {
  readonly leaf: Leaf;
  readonly context: RenderContext;
}

/** @throws {RunError} `parallel-failed` when several branches fail; a single failure as it is. */
export async function renderParallel(
  element: JuneElement,
  context: RenderContext,
  renderLeaf: (leaf: Leaf, context: RenderContext) => Promise<void>,
): Promise<void> {
  checkProps(element, parallelRules);
  const { limit = Infinity, children } = element.props as { limit?: number; children?: JuneNode };
  const inner = withFrame(context, labelOf(element), element.source, false);
  const path = nextPath(context, "parallel", element.key);
  const leaves = [...leavesOf(children, { keepFragments: true })];
  const branches = leaves.map((leaf, index): Branch => ({ leaf, context: branchContext(inner, path, leaf, index) }));
  const failures = new Map<number, unknown>();
  const cancelled = new SiblingFailed();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < branches.length && failures.size === 0) {
      const index = next++;
      const { leaf, context: branch } = branches[index]!;
      try {
        await renderLeaf(leaf, branch);
      } catch (error) {
        if (branch.abort.isAborted && isCausedBy(error, cancelled)) continue;
        failures.set(index, error);
        for (const other of branches) other.context.abort.abort(cancelled);
      } finally {
        branch.abort.dispose();
      }
    }
  };
  const workers = Array.from({ length: Math.min(limit, branches.length) }, (_, index) => index);
  const fork = context.run.strands.fork(workers);
  await Promise.all(workers.map((worker) => work().finally(() => fork.end(worker))));
  // When it was a branch of another one that ended this one, what failed here by itself is told there.
  if (failures.size === 0 || !(context.abort.reason instanceof SiblingFailed)) context.abort.throwIfAborted();
  if (failures.size === 0) return merge(branches, context);
  for (const { context: branch } of branches) branch.layer.drop();
  const listed = [...failures]
    .toSorted(([a], [b]) => a - b)
    .map(([index, error]) => ({ branch: describeLeaf(leaves[index]!), error }));
  throw listed.length === 1 ? listed[0]!.error : parallelFailed(framePath(inner.frame), listed);
}

/** Whether a branch failed only because another one ended it: with the reason itself, or with an error made of it. */
function isCausedBy(error: unknown, reason: unknown): boolean {
  for (
    let part = error, depth = 0;
    depth < 16 && part !== undefined && part !== null;
    part = (part as { cause?: unknown }).cause, depth++
  ) {
    if (part === reason || (part instanceof Error && part.name === "AbortError")) return true;
  }
  return false;
}

function branchContext(context: RenderContext, path: string, leaf: Leaf, index: number): RenderContext {
  const key = leaf.kind === "element" ? leaf.element.key : null;
  const { parts, hasSteps, owner } = context.text;
  const text: TextSink = { parts: [...parts], hasSteps, owner };
  return {
    ...context,
    path: `${path}/branch[${key === null ? index : escapeLabel(key)}]`,
    siblings: { counts: new Map() },
    abort: context.abort.inner(),
    layer: new Layer(context.layer),
    text,
    parallelAgent: context.agent,
    branchSuffix: `${context.branchSuffix}-b${index}`,
  };
}

/** @throws {DeclarationError} `text-beside-steps` when one branch has the text and another the steps. */
function merge(branches: readonly Branch[], { text }: RenderContext): void {
  const before = text.parts.length;
  for (const { context } of branches) {
    context.layer.keep();
    text.parts.push(...context.text.parts.slice(before));
    if (context.text.hasSteps) text.hasSteps = true;
  }
  const [written] = text.parts;
  if (text.hasSteps && written !== undefined) throw textBesideSteps(text.owner, written);
}

function describeLeaf(leaf: Leaf): string {
  if (leaf.kind === "element")
    return `${describeNode(leaf.element)}${leaf.element.source === undefined ? "" : ` (${leaf.element.source})`}`;
  return leaf.kind === "text" ? describeNode(leaf.value) : leaf.kind === "promise" ? "a promise" : "an invalid child";
}
