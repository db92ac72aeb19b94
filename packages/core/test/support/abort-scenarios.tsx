/** Workflows that wait for something, one for each place where an abort can meet a run. */

import { spawn } from "node:child_process";
import { APICallError, tool } from "ai";
import { z } from "zod";
import {
  Agent,
  Catch,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  defineToolset,
  type JuneElement,
  type JuneNode,
} from "@june/core";
import { scriptedModel, type ScriptedModel } from "@june/core/testing";
import { deferred, settled } from "./deferred.js";
import { stuckModel } from "./stuck-model.js";

/** One workflow that waits. */
export interface WaitingWorkflow {
  readonly tree: JuneElement;
  /** Resolves when the workflow has come to where it waits. */
  readonly isWaiting: Promise<void>;
  /** What happened, in order: `cleaned up` when something that heard the abort is done with it. */
  readonly log: readonly string[];
  readonly models: readonly ScriptedModel[];
  /** Ids of processes the workflow started. */
  readonly processIds: readonly number[];
}

/** A place where a run can wait. */
export interface AbortScenario {
  readonly name: string;
  /** Left out: streaming and not. */
  readonly onlyStream?: boolean;
  /** What ignores the abort, as the trace names it; nothing does when left out. */
  readonly ignores?: string;
  /** Whether something in it cleans up asynchronously. */
  readonly cleansUp?: boolean;
  readonly build: () => WaitingWorkflow;
}

class Workshop {
  readonly log: string[] = [];
  readonly models: ScriptedModel[] = [];
  readonly processIds: number[] = [];
  readonly #waiting = deferred();

  readonly arrive = (): void => {
    this.log.push("waiting");
    this.#waiting.resolve();
  };

  script(...entries: Parameters<typeof scriptedModel>[0] & unknown[]): ScriptedModel {
    const model = scriptedModel(entries as never);
    this.models.push(model);
    return model;
  }

  /** An agent whose model calls `name` at once; a second call of it would be one too many. */
  calling(name: string, ...children: JuneNode[]): JuneElement {
    return (
      <Agent model={this.script({ calls: [{ name, input: {} }] })}>
        {children}
        <Step id={`calls-${name}`} prompt="go" />
      </Agent>
    );
  }

  /** Waits until the signal aborts, then cleans up over several turns of the event loop. */
  async untilAborted(signal: AbortSignal): Promise<never> {
    this.arrive();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await settled();
    this.log.push("cleaned up");
    throw signal.reason;
  }

  readonly hearing = tool({
    inputSchema: z.object({}),
    execute: (_input, { abortSignal }): Promise<string> => this.untilAborted(abortSignal!),
  });

  readonly deaf = tool({
    inputSchema: z.object({}),
    execute: (): Promise<string> => {
      this.arrive();
      return new Promise(() => {});
    },
  });

  done(tree: JuneElement): WaitingWorkflow {
    const { log, models, processIds } = this;
    return { tree, isWaiting: this.#waiting.promise, log, models, processIds };
  }
}

function stuck(where: "call" | "first-part" | "next-part", isDeaf: boolean, closes = false): () => WaitingWorkflow {
  return () => {
    const workshop = new Workshop();
    const model = stuckModel(where, isDeaf, async () => {
      if (!closes) return;
      await settled();
      workshop.log.push("cleaned up");
    });
    const watched = {
      ...model,
      doGenerate: (options: Parameters<typeof model.doGenerate>[0]) => {
        queueMicrotask(workshop.arrive);
        return model.doGenerate(options);
      },
      doStream: async (options: Parameters<typeof model.doStream>[0]) => {
        void settled().then(workshop.arrive);
        return model.doStream(options);
      },
    };
    return workshop.done(
      <Agent model={watched}>
        <Step id="a" prompt="go" />
      </Agent>,
    );
  };
}

/** Every place, and how it behaves. */
export const abortScenarios: readonly AbortScenario[] = [
  { name: "a model call", build: stuck("call", false) },
  { name: "a model deaf to its signal", ignores: 'the model "stuck" ignored the abort', build: stuck("call", true) },
  { name: "the first part of a stream", onlyStream: true, build: stuck("first-part", false) },
  {
    name: "the first part of a deaf stream",
    onlyStream: true,
    ignores: 'the model "stuck" ignored the abort',
    build: stuck("first-part", true),
  },
  { name: "the middle of a stream", onlyStream: true, build: stuck("next-part", false) },
  { name: "the middle of a deaf stream", onlyStream: true, build: stuck("next-part", true) },
  {
    name: "the middle of a stream that takes time to close",
    onlyStream: true,
    cleansUp: true,
    build: stuck("next-part", true, true),
  },
  {
    name: "a tool",
    cleansUp: true,
    build: () => {
      const workshop = new Workshop();
      return workshop.done(workshop.calling("hearing", <Tool name="hearing" value={workshop.hearing} />));
    },
  },
  {
    name: "a tool deaf to its signal",
    ignores: 'the tool "deaf" ignored the abort',
    build: () => {
      const workshop = new Workshop();
      return workshop.done(workshop.calling("deaf", <Tool name="deaf" value={workshop.deaf} />));
    },
  },
  {
    name: "a generator tool between two values",
    cleansUp: true,
    build: () => {
      const workshop = new Workshop();
      const streaming = tool({
        inputSchema: z.object({}),
        async *execute(_input, { abortSignal }) {
          yield "so far";
          await workshop.untilAborted(abortSignal!);
        },
      });
      return workshop.done(workshop.calling("streaming", <Tool name="streaming" value={streaming} />));
    },
  },
  {
    name: "a deaf generator tool",
    ignores: 'the tool "streaming" ignored the abort',
    build: () => {
      const workshop = new Workshop();
      const streaming = tool({
        inputSchema: z.object({}),
        async *execute() {
          yield "so far";
          workshop.arrive();
          await new Promise(() => {});
        },
      });
      return workshop.done(workshop.calling("streaming", <Tool name="streaming" value={streaming} />));
    },
  },
  {
    name: "a child run, two levels down",
    cleansUp: true,
    build: () => {
      const workshop = new Workshop();
      const Helper = defineAgent({
        name: "helper",
        description: "Helps",
        input: z.object({}),
        prompt: () => "go",
        model: workshop.script({ calls: [{ name: "hearing" }] }),
        capabilities: () => <Tool name="hearing" value={workshop.hearing} />,
      });
      return workshop.done(
        workshop.calling(
          "research",
          <Tool name="research" description="Researches" input={z.object({})}>
            {() => workshop.calling("helper", <Helper />)}
          </Tool>,
        ),
      );
    },
  },
  {
    name: "a process that a child run started",
    cleansUp: true,
    build: () => {
      const workshop = new Workshop();
      const sleeping = tool({
        inputSchema: z.object({}),
        execute: (_input, { abortSignal }) =>
          new Promise<string>((_resolve, reject) => {
            const child = spawn("sleep", ["300"], { stdio: "ignore" });
            workshop.processIds.push(child.pid!);
            child.on("spawn", workshop.arrive);
            abortSignal!.addEventListener("abort", () => child.kill());
            child.on("close", () => {
              workshop.log.push("cleaned up");
              reject(abortSignal!.reason as Error);
            });
          }),
      });
      return workshop.done(
        workshop.calling(
          "research",
          <Tool name="research" description="Researches" input={z.object({})}>
            {() => workshop.calling("sleeping", <Tool name="sleeping" value={sleeping} />)}
          </Tool>,
        ),
      );
    },
  },
  {
    name: "a toolset that opens",
    cleansUp: true,
    build: () => {
      const workshop = new Workshop();
      const Live = defineToolset({
        name: "Live",
        key: () => "k",
        open: (_props, { signal }) => workshop.untilAborted(signal),
      });
      return workshop.done(workshop.calling("live", <Live />));
    },
  },
  {
    name: "a toolset deaf to its signal",
    ignores: "a toolset ignored the abort while opening",
    build: () => {
      const workshop = new Workshop();
      const Live = defineToolset({
        name: "Live",
        key: () => "k",
        open: () => {
          workshop.arrive();
          return new Promise(() => {});
        },
      });
      return workshop.done(workshop.calling("live", <Live />));
    },
  },
  {
    name: "three branches of a <Parallel>",
    cleansUp: true,
    build: () => {
      const workshop = new Workshop();
      return workshop.done(
        <Parallel>
          <Agent model={workshop.script({ text: "never", waitFor: new Promise(() => {}) })}>
            <Step id="model" prompt="go" />
          </Agent>
          {workshop.calling("hearing", <Tool name="hearing" value={workshop.hearing} />)}
          <Catch retries={1}>
            {workshop.calling(
              "held",
              <RequireApproval>
                <Tool name="held" value={workshop.hearing} />
              </RequireApproval>,
            )}
          </Catch>
        </Parallel>,
      );
    },
  },
  {
    name: "a request",
    build: () => {
      const workshop = new Workshop();
      return workshop.done(
        <Agent
          model={workshop.script({ calls: [{ name: "held" }] })}
          onToolExecutionStart={() => void settled().then(workshop.arrive)}
        >
          <RequireApproval>
            <Tool name="held" value={workshop.hearing} />
          </RequireApproval>
          <Step id="a" prompt="go" />
        </Agent>,
      );
    },
  },
  {
    name: "the delay of a <Catch>",
    build: () => {
      const workshop = new Workshop();
      const Failing = () => {
        queueMicrotask(() => void settled().then(workshop.arrive));
        throw new Error("again");
      };
      return workshop.done(
        <Catch retries={1} delayMs={600_000}>
          <Failing />
        </Catch>,
      );
    },
  },
  {
    name: "the pause before a model call is tried again",
    build: () => {
      const workshop = new Workshop();
      const busy = new APICallError({
        message: "busy",
        url: "",
        requestBodyValues: {},
        isRetryable: true,
        responseHeaders: { "retry-after-ms": "50000" },
      });
      return workshop.done(
        <Agent
          model={workshop.script(() => {
            void settled().then(workshop.arrive);
            return busy;
          })}
        >
          <Step id="a" prompt="go" />
        </Agent>,
      );
    },
  },
  {
    name: "a place under toolCallConcurrency",
    cleansUp: true,
    build: () => {
      const workshop = new Workshop();
      return workshop.done(
        <Agent model={workshop.script({ calls: [{ name: "hearing" }, { name: "hearing" }] })} toolCallConcurrency={1}>
          <Tool name="hearing" value={workshop.hearing} />
          <Step id="a" prompt="go" />
        </Agent>,
      );
    },
  },
  {
    name: "a component deaf to any signal",
    ignores: "<Waiting> ignored the abort",
    build: () => {
      const workshop = new Workshop();
      const Waiting = async () => {
        workshop.arrive();
        await new Promise(() => {});
        return null;
      };
      return workshop.done(<Waiting />);
    },
  },
  {
    name: "a promise among children that never settles",
    ignores: "the run ignored the abort",
    build: () => {
      const workshop = new Workshop();
      void settled().then(workshop.arrive);
      return workshop.done(<>{new Promise<string>(() => {})}</>);
    },
  },
];
