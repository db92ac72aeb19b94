/** Models that get stuck where a provider can: before the answer, before the first part of a stream, or between two parts. */

import type { ScriptedModel } from "@june/core/testing";

type Model = Omit<ScriptedModel, "calls">;
type Part = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

/** A model that notes what happened to it. */
export interface StuckModel extends Model {
  /** Calls that began. */
  readonly started: number;
}

/**
 * Makes a model that never answers.
 * @param where before anything comes, before the first part of the stream, or after some text of it
 * @param isDeaf whether it ignores its abort signal; a stream that hears it errors with the reason, as fetch does
 * @param onClose what closing its stream takes
 */
export function stuckModel(
  where: "call" | "first-part" | "next-part",
  isDeaf: boolean,
  onClose: () => Promise<void> = async () => {},
): StuckModel {
  const state = { started: 0 };
  const hang = (signal: AbortSignal | undefined): Promise<never> =>
    new Promise((_resolve, reject) => {
      if (!isDeaf) signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  return {
    specificationVersion: "v4",
    provider: "june.testing",
    modelId: "stuck",
    supportedUrls: {},
    get started() {
      return state.started;
    },
    doGenerate: ({ abortSignal }) => {
      state.started++;
      return hang(abortSignal);
    },
    doStream: async ({ abortSignal }) => {
      state.started++;
      if (where === "call") return hang(abortSignal);
      const parts: Part[] =
        where === "first-part"
          ? []
          : [
              { type: "stream-start", warnings: [] },
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: "so far" },
            ];
      return {
        stream: new ReadableStream<Part>({
          pull: async (controller) => {
            const part = parts.shift();
            if (part !== undefined) return controller.enqueue(part);
            await hang(abortSignal);
          },
          cancel: onClose,
        }),
      };
    },
  };
}
