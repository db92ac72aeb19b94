/** Models whose stream breaks off: the connection ends, fails, or reports an error in the middle of an answer. */

import type { ScriptedModel } from "@june/core/testing";

type Model = Omit<ScriptedModel, "calls">;
/** A part of a model's stream. */
export type Part = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

/** A model that counts its calls. */
export interface CutModel extends Model {
  readonly started: number;
}

/**
 * Makes a model whose first streams give these parts and then break off; after them come whole answers of `model`.
 * @param how whether the connection just ends, or reading it fails with this error
 */
export function cutModel(streams: readonly (readonly Part[])[], how: "end" | Error, model: ScriptedModel): CutModel {
  const state = { started: 0 };
  return {
    ...model,
    modelId: "cut",
    get started() {
      return state.started;
    },
    doStream: async (parameters) => {
      const parts = streams[state.started++];
      if (parts === undefined) return model.doStream(parameters);
      const left = [...parts];
      return {
        stream: new ReadableStream<Part>({
          pull: (controller) => {
            const part = left.shift();
            if (part !== undefined) controller.enqueue(part);
            else if (how === "end") controller.close();
            else controller.error(how);
          },
        }),
      };
    },
  };
}
