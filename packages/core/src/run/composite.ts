/** Runs the workflow behind a composite tool or callable agent: a child run of its own, with the declaring agent as the parent scope. */

import type { JuneNode } from "../element/element.js";
import { snapshotJson } from "../element/json.js";
import { limitReached, toolOutput } from "../errors/run-errors.js";
import { Layer } from "../render/layer.js";
import type { RenderContext } from "../render/context.js";
import { renderNode } from "../render/render.js";
import { settle, settleActive } from "../render/settle.js";
import type { ChildRunOutput } from "../trace/trace.js";
import { outputOf } from "./result.js";
import type { ChildCall, RunInstance } from "./run-state.js";

/**
 * The whole child run as the tool call's output: what the model gets, the trace and the usage.
 * @throws {RunError} `limit-reached` when runs nest too deep, which ends the outermost run; `tool-output` when the output is not JSON
 */
export async function runChild(
  caller: RunInstance,
  call: ChildCall,
  createChild: (part: {
    depth: number;
    labelPrefix: string;
    parentScope: RunInstance["parentScope"];
    isLookedAhead: boolean;
  }) => RunInstance,
): Promise<ChildRunOutput & { output: unknown }> {
  const { shared } = caller;
  const { composite, tool, node: toolNode } = call;
  const depth = caller.depth + 1;
  const labelPrefix = `${caller.labelPrefix}${tool}:`;
  if (depth > shared.spending.limits.depth) {
    const error = limitReached(
      "depth",
      shared.spending.limits.depth,
      toolNode.path,
      `The chain is ${chainOf(labelPrefix)}.`,
    );
    shared.fail(error);
    throw error;
  }
  const instance = createChild({
    depth,
    labelPrefix,
    parentScope: composite.parent,
    isLookedAhead: composite.kind === "agent",
  });
  const { recorder } = shared;
  const node = recorder.start({
    type: "run-start",
    name: tool,
    path: toolNode.path,
    label: labelPrefix.slice(0, -1),
    parentId: toolNode.id,
    runId: shared.id,
  });
  const context: RenderContext = {
    run: instance,
    agent: undefined,
    frame: {
      label: composite.kind === "agent" ? `<${composite.name}>` : `<Tool name=${JSON.stringify(tool)}>`,
      source: undefined,
      outer: call.frame,
      depth: (call.frame?.depth ?? 0) + 1,
      isComponent: false,
    },
    node,
    path: toolNode.path,
    siblings: { counts: new Map() },
    abort: call.abort,
    layer: new Layer(),
    text: { parts: [], hasSteps: false, owner: { label: `the workflow of the tool ${JSON.stringify(tool)}` } },
    timeLimits: call.timeLimits,
    parallelAgent: undefined,
    branchSuffix: "",
  };
  try {
    await renderNode((await settleActive(() => composite.render(call.input), context)) as JuneNode, context);
    call.abort.throwIfAborted();
    const steps = context.layer.results();
    const output = outputOf(context);
    const { output: select } = composite;
    const picked = select === undefined ? output : await settle(() => select({ output, steps }), context);
    const snapshot = snapshotJson(picked);
    if ("fault" in snapshot) throw toolOutput(tool, snapshot.fault.path, snapshot.fault.found);
    recorder.end(node, { type: "run-end" });
    const trace = recorder.fold.traceOf(node.id);
    return { output: snapshot.value, trace, usage: trace.root.usage };
  } catch (error) {
    recorder.fail(node, { type: "run-end" }, error, call.abort.isReason(error));
    throw error;
  }
}

function chainOf(labelPrefix: string): string {
  const names = labelPrefix
    .slice(0, -1)
    .split(":")
    .map((name) => `<${name}>`);
  const shown = names.length > 12 ? [...names.slice(0, 6), "…", ...names.slice(-6)] : names;
  return shown.join(" > ");
}
