/** Every error code, provoked through the public API, with its whole message. Long because it is a list; a code without an entry fails. */

import { Output, tool, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Inherit,
  JuneError,
  Namespace,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  createElement,
  defineCapabilities,
  defineTool,
  defineToolset,
  errorCodes,
  resolveTools,
  run,
  type JuneElement,
  type JuneNode,
  type RunOptions,
} from "@june/core";
import { readTrace } from "@june/core/trace";
import { echoModel, scriptedModel, type ScriptEntry } from "@june/core/testing";
import { deferred } from "../support/deferred.js";
import { withoutPlaces } from "../support/places.js";
import { resultOutputs } from "../support/prompts.js";
import { rejectionOf } from "../support/rejection-of.js";
import { stuckModel } from "../support/stuck-model.js";
import { openRequests } from "../support/watch-run.js";

/** Stands in instructions, inputs and props that no message may show. */
const secret = "s3cr3t";
const ping = tool({
  description: secret,
  inputSchema: z.object({ key: z.string().default(secret) }),
  execute: () => "pong",
});
const providerTool = {
  type: "provider",
  id: "x.search",
  args: {},
  isProviderExecuted: true,
  inputSchema: z.object({}),
} as unknown as ToolSet[string];
const Bundle = defineCapabilities(({ children }: { children?: JuneNode }) => children, { name: "Web" });
const Looping = defineCapabilities((): JuneNode => <Looping />, { name: "Looping" });
const Broken = () => {
  throw new Error("disk full", { cause: new Error("no space") });
};

function agent(children: JuneNode, script: readonly ScriptEntry[] = [], props: object = {}): JuneElement {
  return (
    <Agent instructions={secret} model={scriptedModel(script)} {...props}>
      {children}
    </Agent>
  );
}

const step = <Step id="a" prompt={secret} />;
const failing = (tree: JuneElement, options?: RunOptions) => rejectionOf(run(tree, options));
const capabilities = (children: JuneNode) => failing(agent([children, step]));
const answering = (entry: ScriptEntry, props: object = {}) => failing(agent(step, [entry], props));

/** What a model is told when it calls `research`, which renders `children`. */
async function toldBy(children: JuneNode, output?: () => unknown): Promise<unknown> {
  const model = scriptedModel([{ calls: [{ name: "research" }] }, "went on"]);
  await run(
    <Agent model={model}>
      <Tool name="research" description="Researches" input={z.object({})} {...(output === undefined ? {} : { output })}>
        {() => children}
      </Tool>
      {step}
    </Agent>,
  );
  return resultOutputs(model, 1)[0];
}

/** Ids of requests, in messages replaced by `ID`. */
const requestIds = new Set<string>();

/** A run that waits for approval of two calls, or an answer to one. */
async function asked(
  script: ScriptEntry,
  act: (handle: ReturnType<typeof run>, ids: string[]) => Promise<unknown>,
): Promise<unknown> {
  const calls = (script as { calls: unknown[] }).calls.length;
  const handle = run(
    agent(
      [
        <RequireApproval key="w">
          <Tool name="save" value={ping} />
        </RequireApproval>,
        <Tool key="q" name="confirm" value={tool({ inputSchema: z.object({}) })} />,
        step,
      ],
      [script, "done"],
    ),
  );
  const open = await openRequests(handle, calls);
  for (const { id } of open) requestIds.add(id);
  const error = await rejectionOf(
    act(
      handle,
      open.map(({ id }) => id),
    ),
  );
  handle.abort("done");
  await rejectionOf(handle);
  return error;
}

interface Provocation {
  readonly code: string;
  readonly provoke: () => unknown;
  readonly message: string;
}

const provocations: readonly Provocation[] = [
  {
    code: "invalid-node",
    provoke: () => failing(agent([{ apiKey: secret } as never])),
    message:
      "june: an object cannot be rendered in <Agent>\nA node is an element, text, a number, an array of nodes, a promise of one, or nothing (true, false, null, undefined).",
  },
  {
    code: "invalid-node",
    provoke: () => failing(createElement("div", { id: secret })),
    message:
      "june: the lower-case tag <div> cannot be rendered in the run\nJune has no built-in tags: import a component, and write its name with a capital letter.",
  },
  {
    code: "invalid-node",
    provoke: () => failing(createElement(Map, null)),
    message: "june: the class Map cannot be rendered in the run\nA component is a function of its props.",
  },
  {
    code: "invalid-node",
    provoke: () => failing(createElement(undefined, null)),
    message:
      "june: a tag that is undefined cannot be rendered in the run\nCheck the import: a component is a function.",
  },
  {
    code: "invalid-node",
    provoke: () => failing({ $$typeof: Symbol.for("react.transitional.element"), type: "div", props: {} } as never),
    message:
      'june: an element of another JSX runtime (React\'s) cannot be rendered in run()\nCompile the file with June\'s runtime: "jsxImportSource": "june" in tsconfig.json, or /** @jsxImportSource june */ at the top of the file.',
  },
  {
    code: "invalid-props",
    provoke: () => failing(agent(step, [], { modle: secret })),
    message: 'june: <Agent> (HERE) has no prop "modle"\nSee the props of <Agent>. Did you mean "model"?',
  },
  {
    code: "invalid-props",
    provoke: () => failing(agent(createElement(Step, { id: "a" }))),
    message:
      'june: <Step id="a"> needs the prop prompt\nprompt is text that is not empty, an array of messages, or a function of the results so far.',
  },
  {
    code: "invalid-option",
    provoke: () => failing(<>text</>, { limits: { depht: 3 } } as never),
    message:
      'june: run(): there is no option limits.depht\nThe options are "limits.depth", "limits.modelCalls", "limits.tokens", "limits.concurrency", "limits.cleanupMs", "limits.requestMs". Did you mean "depth"?',
  },
  {
    code: "misplaced-capability",
    provoke: () => {
      const Mine = () => <Tool name="ping" value={ping} />;
      return failing(agent([<Mine key="m" />]));
    },
    message:
      'june: the capability <Tool name="ping"> (HERE) stands inside the component <Mine>, where no <Agent> can see it\nPut it directly among the children of an <Agent>, or in a bundle made with defineCapabilities() that stands there.',
  },
  {
    code: "misplaced-capability",
    provoke: () => failing(<Tool name="ping" value={ping} />),
    message:
      'june: the capability <Tool name="ping"> (HERE) stands outside any <Agent>\nPut it directly among the children of an <Agent>, or in a bundle made with defineCapabilities() that stands there.',
  },
  {
    code: "capability-content",
    provoke: () => capabilities(<Bundle>{step}</Bundle>),
    message:
      'june: <Web> (HERE) holds <Step id="a"> (HERE), but only capabilities can stand there\nPut it among the <Agent>\'s children, beside the bundle.',
  },
  {
    code: "bundle-cycle",
    provoke: () => capabilities(<Looping />),
    message:
      "june: a bundle contains itself: <Looping> > <Looping> (HERE)\nTake the inner one out, or make the part they share a bundle of its own.",
  },
  {
    code: "tool-value",
    provoke: () => capabilities(<Tool name="ping" value={{ token: secret } as never} />),
    message:
      'june: the tool "ping" is no AI SDK tool but an object\n  <Tool name="ping">      HERE\nMake it with tool({ description, inputSchema, execute }) from "ai".',
  },
  {
    code: "tool-schema",
    provoke: () =>
      capabilities(<Tool name="ping" value={tool({ inputSchema: z.object({ from: z.date() }), execute: () => 1 })} />),
    message:
      'june: the input schema of the tool "ping" cannot be given to a model: from is a date (Date cannot be represented in JSON Schema)\n  <Tool name="ping">      HERE\nUse an object at the root and parts that JSON Schema can express, such as an ISO date string instead of a date.',
  },
  {
    code: "tool-name-collision",
    provoke: () =>
      capabilities([
        <Tool key="1" name="search" value={ping} />,
        <Namespace key="2" name="search">
          <Bundle>
            <Tool name="x" value={ping} />
          </Bundle>
        </Namespace>,
        <Tool key="3" name="search_x" value={ping} />,
      ]),
    message:
      'june: two capabilities expose the tool "search_x" in <Agent> (HERE)\n  <Tool name="x"> in <Namespace name="search"> > <Web>      HERE\n  <Tool name="search_x">                                    HERE\nRename one, or put one inside <Namespace name="…">.',
  },
  {
    code: "tool-name-invalid",
    provoke: () => capabilities(<Tool name="2nd" value={ping} />),
    message:
      'june: "2nd" in <Agent> (HERE) is no legal tool name (3 characters)\n  <Tool name="2nd">      HERE\nA name is 1 to 64 letters, digits, _ and -, and starts with a letter. Rename the tool or shorten a namespace.',
  },
  {
    code: "tool-name-invalid",
    provoke: () =>
      capabilities(
        <Namespace name="billing-cost-management">
          <Tool name="get_reserved_instance_utilization_by_region" value={ping} />
        </Namespace>,
      ),
    message:
      'june: "billing-cost-management_get_reserved_instance_utilization_by_region" in <Agent> (HERE) is no legal tool name (67 characters)\n  <Tool name="get_reserved_instance_utilization_by_region"> in <Namespace name="billing-cost-management">      HERE\nIt is made of "billing-cost-management_" of <Namespace name="billing-cost-management"> + "get_reserved_instance_utilization_by_region" of <Tool name="get_reserved_instance_utilization_by_region">.\nA name is 1 to 64 letters, digits, _ and -, and starts with a letter. Rename the tool or shorten a namespace.',
  },
  {
    code: "too-many-tools",
    provoke: () =>
      failing(
        agent(
          [
            <Bundle key="b">
              <Tool name="a" value={ping} />
              <Tool name="b" value={ping} />
            </Bundle>,
            <Tool key="c" name="c" value={ping} />,
            step,
          ],
          [],
          { maxTools: 2 },
        ),
      ),
    message:
      "june: <Agent> (HERE) declares 3 tools, more than 2\n  2 from <Web>\n  1 from the agent's own children\nDeclare fewer, split the agent, or set maxTools on the <Agent> if its model takes more.",
  },
  {
    code: "tool-not-allowed",
    provoke: () => failing(agent([<Tool key="t" name="ping" value={ping} />, step]), { allowedTools: ["pong", "ask"] }),
    message:
      'june: the tool "ping" in <Agent> (HERE) is not among the run\'s allowedTools\n  <Tool name="ping">      HERE\nallowedTools has "ask", "pong".\nAdd the name to allowedTools, or take the declaration out.',
  },
  {
    code: "provider-tool-approval",
    provoke: () =>
      capabilities(
        <RequireApproval>
          <Tool name="search" value={providerTool} />
        </RequireApproval>,
      ),
    message:
      'june: <RequireApproval> cannot hold the tool "search": the provider runs it itself, before June sees the call\n  <Tool name="search"> in <RequireApproval>      HERE\nTake the rule away, or use a tool that runs in your process.',
  },
  {
    code: "unknown-tool-name",
    provoke: () => failing(agent([<Tool key="t" name="ping" value={ping} />, step], [], { activeTools: ["pin"] })),
    message:
      'june: activeTools of <Agent> (HERE) names the tool "pin", which the agent does not have\nIt has "ping".\nUse the exposed name, with its namespaces. Did you mean "ping"?',
  },
  {
    code: "granted-tools-context",
    provoke: () =>
      failing(
        agent(
          [
            <Tool
              key="t"
              name="ping"
              value={tool({
                inputSchema: z.object({}),
                contextSchema: z.object({ token: z.string() }),
                execute: () => 1,
              })}
            />,
            <Agent key="n" model={echoModel()} toolsContext={{ ping: { token: secret } }}>
              <Inherit capabilities={["ping"]} />
              {step}
            </Agent>,
          ],
          [],
          { toolsContext: { ping: { token: secret } } },
        ),
      ),
    message:
      'june: toolsContext of <Agent> (HERE) gives a context to "ping", which was inherited together with the parent\'s context\nTake the entry out: an inherited tool keeps the context its parent gave it.',
  },
  {
    code: "inherit-unknown",
    provoke: () =>
      failing(
        agent([
          <Tool key="1" name="pong" value={ping} />,
          <Tool key="2" name="ask" value={ping} />,
          <Agent key="n" model={echoModel()}>
            <Inherit capabilities={["ping"]} />
            {step}
          </Agent>,
        ]),
      ),
    message:
      'june: <Inherit capabilities={["ping"]}> (HERE) asks for "ping", which the enclosing <Agent> (HERE) does not have\nIt has "pong", "ask".\nA tool with a similar name is "pong".\nDeclare the tool in the enclosing agent, or inherit it there first.',
  },
  {
    code: "inherit-duplicate",
    provoke: () =>
      failing(
        agent([
          <Tool key="1" name="ping" value={ping} />,
          <Agent key="n" model={echoModel()}>
            <Inherit capabilities={["ping", "ping"]} />
            {step}
          </Agent>,
        ]),
      ),
    message: 'june: <Inherit capabilities={["ping", "ping"]}> (HERE) lists "ping" twice\nList each name once.',
  },
  {
    code: "inherit-without-parent",
    provoke: () => capabilities(<Inherit capabilities={["ping"]} />),
    message:
      'june: <Inherit capabilities={["ping"]}> (HERE) stands in <Agent> (HERE), which has no agent around it to inherit from\nNest the agent in the one whose tools it should get, or declare the tools here.',
  },
  {
    code: "no-model",
    provoke: () => failing(<Agent instructions={secret}>{step}</Agent>),
    message:
      "june: <Agent> (HERE) has no model\nSet <Agent model={…}>, or give a default with run(element, { model }) or june run --model provider:id.",
  },
  {
    code: "messages-with-approvals",
    provoke: () =>
      failing(
        agent(step, [], {
          messages: [
            { role: "tool", content: [{ type: "tool-approval-response", approvalId: secret, approved: true }] },
          ],
        }),
      ),
    message:
      "june: the messages given to <Agent> (HERE) hold a tool approval, which only the run that asked can accept\nTake the approval parts out and answer requests with approve(), deny() or onRequest.",
  },
  {
    code: "step-without-agent",
    provoke: () => failing(step),
    message: 'june: <Step id="a"> (HERE) has no <Agent> around it\nPut it inside an <Agent>.',
  },
  {
    code: "step-in-parallel",
    provoke: () => failing(agent(<Parallel>{step}</Parallel>)),
    message:
      'june: <Step id="a"> (HERE) stands in a <Parallel> but belongs to <Agent> (HERE) around it: parallel turns of one conversation have no order\nGive each branch an <Agent> of its own.',
  },
  {
    code: "duplicate-step",
    provoke: () =>
      failing(agent([<Step key="1" id="a" prompt={secret} />, <Step key="2" id="a" prompt={secret} />], ["one"])),
    message:
      'june: two steps of this run have the id "a"\n  <Step id="a">      HERE\n  <Step id="a">      HERE\nGive each step an id of its own.',
  },
  {
    code: "text-beside-steps",
    provoke: () => failing(agent(["Be quick", step], ["one"])),
    message:
      'june: the text "Be quick" stands beside steps in <Agent> (HERE), where it has no place\nPut the text into a step\'s prompt, or take the steps out and let the text be the prompt.',
  },
  {
    code: "text-beside-steps",
    provoke: () => failing(agent([0, step], ["one"])),
    message:
      'june: the text "0" stands beside steps in <Agent> (HERE), where it has no place\nA number is text: write {list.length > 0 && …} instead of {list.length && …}.',
  },
  {
    code: "duplicate-core",
    provoke: () => failing({ [Symbol.for("june.element")]: 99, type: Agent, props: {}, key: null } as never),
    message:
      "june: an element was made by another copy of @june/core, of major version 99; this one is 0\nInstall one major version of @june/core: the packages that bring capabilities should have it as a peer dependency.",
  },
  {
    code: "tool-inactive",
    provoke: () => {
      const lookUp = defineTool({
        name: "lookUp",
        description: "Looks up",
        input: z.object({}),
        output: z.string(),
        execute: () => "x",
      });
      try {
        void lookUp({});
      } catch (error) {
        return error;
      }
    },
    message:
      "june: lookUp() can only be called while a component is rendering\nOutside a run, and in code that goes on after its component, call lookUp.execute(input).",
  },
  {
    code: "tool-use",
    provoke: () => capabilities(<Tool use={ping as never} />),
    message:
      "june: <Tool> (HERE) got an object as use\nuse takes exactly what defineTool() returned: no copy, proxy or look-alike. An AI SDK tool goes into <Tool name value>.",
  },
  {
    code: "component-failed",
    provoke: () => {
      const Release = ({ children }: { token: string; children: JuneNode }) => children;
      return failing(
        <Release token={secret}>
          <Broken />
        </Release>,
      );
    },
    message: "june: <Release> > <Broken> failed: disk full",
  },
  {
    code: "component-failed",
    provoke: () => {
      const cycle: unknown[] = [];
      cycle.push(cycle);
      return failing(<>{cycle as never}</>);
    },
    message: "june: the run failed: an array contains itself",
  },
  {
    code: "parallel-failed",
    provoke: () => {
      const both = deferred();
      const Failing = async ({ name }: { name: string }) => {
        if (name === "second") both.resolve();
        await both.promise;
        throw new Error(`${name} failed`);
      };
      return failing(
        <Parallel>
          <Failing name="first" />
          <Failing name="second" />
        </Parallel>,
      );
    },
    message:
      "june: 2 branches of <Parallel> failed\n  <Failing> (HERE): first failed\n  <Failing> (HERE): second failed",
  },
  {
    code: "toolset-failed",
    provoke: () => {
      const Mcp = defineToolset({
        name: "Mcp",
        label: ({ name }: { name: string; token: string }) => ({ name }),
        key: ({ token }) => token,
        open: async () => {
          throw new Error("connection refused");
        },
      });
      return capabilities(<Mcp name="linear" token={secret} />);
    },
    message: 'june: <Mcp name="linear"> (HERE) could not be opened: connection refused',
  },
  {
    code: "model-failed",
    provoke: () => answering(new Error("overloaded")),
    message: 'june: the model "scripted" failed in the step "a": overloaded',
  },
  {
    code: "stream-cut",
    provoke: () => {
      const cut = {
        ...stuckModel("call", false),
        doStream: async () => ({
          stream: new ReadableStream({
            start: (controller) => {
              controller.enqueue({ type: "text-start", id: "t" } as never);
              controller.close();
            },
          }),
        }),
      };
      return failing(<Agent model={cut}>{step}</Agent>, { stream: true });
    },
    message:
      'june: the stream of the model "stuck" ended before the answer was finished\nThe connection was probably lost: try again.',
  },
  {
    code: "empty-answer",
    provoke: () => answering({ text: "  " }),
    message:
      'june: the model gave no answer in the step "a" (finish reason "stop")\nAsk for an answer in the prompt, or try another model.',
  },
  {
    code: "answer-cut",
    provoke: () => answering({ text: "half an ans", finishReason: "length" }),
    message:
      'june: the answer of the step "a" was cut off at the model\'s output limit\nRaise maxOutputTokens, or ask for less. Tool calls of a cut answer are never run.',
  },
  {
    code: "answer-filtered",
    provoke: () => answering({ text: "half an ans", finishReason: "content-filter" }),
    message:
      'june: the provider\'s content filter stopped the answer of the step "a"\nChange the prompt, or try another model.',
  },
  {
    code: "output-invalid",
    provoke: () =>
      failing(
        agent(<Step id="a" prompt={secret} output={Output.object({ schema: z.object({ score: z.number() }) })} />, [
          "not JSON",
        ]),
      ),
    message:
      'june: the answer of the step "a" is not the output asked for: No object generated: could not parse the response.',
  },
  {
    code: "step-limit",
    provoke: () =>
      failing(
        <Agent model={scriptedModel(() => ({ calls: [{ name: "ping", input: { key: secret } }, { name: "pong" }] }))}>
          <Tool name="ping" value={ping} />
          <Tool name="pong" value={ping} />
          {step}
        </Agent>,
      ),
    message:
      'june: the step "a" made 20 model calls without a final answer\nIts last tool calls were "ping", "pong".\nSet stopWhen on the <Agent> to allow more, or make the prompt say when to stop.',
  },
  {
    code: "limit-reached",
    provoke: () =>
      failing(agent([step, <Step key="b" id="b" prompt={secret} />], ["one", "two"]), { limits: { modelCalls: 1 } }),
    message:
      "june: the run reached limits.modelCalls (1) at /agent[0]/step[b]/model[0]\nRaise limits.modelCalls in the options of run() if this much is meant.",
  },
  ...(
    [
      ["call", { totalMs: 10 }, 'the step "a"'],
      ["call", { stepMs: 10 }, 'a model call of the step "a", with its tools,'],
      ["first-part", { firstChunkMs: 10 }, 'the first part of the stream of "stuck"'],
      ["next-part", { chunkMs: 10 }, 'the next part of the stream of "stuck"'],
    ] as const
  ).map(([where, timeout, what]) => ({
    code: "timeout",
    provoke: () =>
      failing(
        <Agent model={stuckModel(where, false)} timeout={timeout}>
          {step}
        </Agent>,
        { stream: true },
      ),
    message: `june: ${what} took longer than 10 ms`,
  })),
  {
    code: "tool-input",
    provoke: () =>
      asked({ calls: [{ name: "save" }] }, (handle, [id]) => handle.approve(id!, { input: { key: 5, secret } })),
    message:
      'june: the input does not fit the tool "save": [\n  {\n    "expected": "string",\n    "code": "invalid_type",\n    "path": [\n      "key"\n    ],\n    "message": "Invalid input: expected string, received number"\n  }\n]',
  },
  {
    code: "request-unanswered",
    provoke: () =>
      failing(
        agent(
          [
            <RequireApproval key="w">
              <Tool name="save" value={ping} />
            </RequireApproval>,
            step,
          ],
          [{ calls: [{ name: "save", input: { key: secret } }] }],
        ),
      ),
    message:
      'june: the tool "save" in a waits for approval and nobody can give it\nAnswer in code with run(element, { onRequest }), read handle.events or handle.requests and call approve(), deny() or answer(), or run it with june run, which asks on the terminal.',
  },
  {
    code: "request-unknown",
    provoke: () => asked({ calls: [{ name: "save" }] }, (handle) => handle.approve("nope")),
    message: 'june: there is no request "nope"\nOpen are:\n  ID  approval of save in a',
  },
  {
    code: "request-answered",
    provoke: () =>
      asked({ calls: [{ name: "save" }] }, async (handle, [id]) => {
        await handle.deny(id!);
        await handle.approve(id!);
      }),
    message: 'june: the request "ID" has been answered already\nThe first answer holds.',
  },
  {
    code: "request-ambiguous",
    provoke: () =>
      asked({ calls: [{ name: "save", input: { key: secret } }, { name: "confirm" }] }, (handle) => handle.approve()),
    message:
      "june: 2 requests are open\n  ID  approval of save in a\n  ID  input of confirm in a\nGive the id of the one you mean.",
  },
  {
    code: "request-kind",
    provoke: () => asked({ calls: [{ name: "confirm" }] }, (handle, [id]) => handle.approve(id!)),
    message:
      'june: the request "ID" is of kind "input" and cannot be answered with approve()\nUse answer(id, value), or deny(id).',
  },
  {
    code: "agent-unknown",
    provoke: async () => {
      const result = await run(<>text</>);
      try {
        result.messages("guide");
      } catch (error) {
        return error;
      }
    },
    message: 'june: no agent named "guide" ran\nNo agent with a conversation ran.',
  },
  {
    code: "trace-invalid",
    provoke: () => {
      try {
        readTrace(JSON.stringify({ secret }));
      } catch (error) {
        return error;
      }
    },
    message: 'june: this is not a trace June can read: format is missing\nIt has to be "june.trace/1".',
  },
  {
    code: "tool-revoked",
    provoke: async () => {
      let kept: ToolSet[string] | undefined;
      await run(
        agent([<Tool key="t" name="ping" value={ping} />, step], ["done"], {
          onStart: ({ tools }: { tools: ToolSet }) => (kept = tools["ping"]),
        }),
      );
      return rejectionOf(
        Promise.resolve().then(() =>
          kept!.execute!({ key: secret }, { toolCallId: "c", messages: [], context: undefined }),
        ),
      );
    },
    message:
      'june: the tool "ping" was called after the agent it belongs to had ended\nA grant ends with its agent: call the tool while a step of the agent runs.',
  },
  {
    code: "toolset-unclosed",
    provoke: async () => {
      const Pipe = defineToolset({
        name: "Pipe",
        key: () => secret,
        open: async () => ({ tools: {}, close: () => Promise.reject(new Error("broken")) }),
      });
      const { close } = await resolveTools(<Pipe />);
      return rejectionOf(close());
    },
    message:
      "june: not everything could be closed\n  <Pipe> failed to close: broken\nEverything else is closed. What is named here may still hold a connection or a process: end it by itself.",
  },
];

/** What is not thrown at anybody but told to a model. */
const told: readonly Provocation[] = [
  {
    code: "tool-failed",
    provoke: () => toldBy(<Broken />),
    message: 'june: the tool "research" failed: disk full',
  },
  {
    code: "tool-output",
    provoke: () => toldBy("found", () => ({ rows: [{ id: 1n, secret }] })),
    message:
      'june: the tool "research" failed: the output of the tool "research" is not JSON: output.rows[0].id is a bigint\nReturn plain data: objects, arrays, text, finite numbers, booleans and null.',
  },
];

describe("a message", () => {
  it.each(provocations.map((provocation, index) => ({ ...provocation, name: `${provocation.code} (${index})` })))(
    "L61 of $name says what is wrong, where, what there is and one way out",
    async ({ code, provoke, message }) => {
      const error = await provoke();
      expect(JuneError.isInstance(error)).toBe(true);
      const found = error as JuneError;
      expect(found.code).toBe(code);
      let text = withoutPlaces(found.message);
      for (const id of requestIds) text = text.replaceAll(id, "ID");
      expect(text).toBe(message);
      expect(JSON.stringify([found.message, found.details])).not.toContain(secret);
      expect(JSON.parse(JSON.stringify(found.details))).toEqual(found.details);
    },
  );

  it.each(told)("L61 of $code is told to the model", async ({ provoke, message }) => {
    expect(await provoke()).toEqual({ type: "error-text", value: message });
  });

  it("L61, L62 is asserted here for every code there is", () => {
    expect([...new Set([...provocations, ...told].map(({ code }) => code))].toSorted()).toEqual(
      [...errorCodes].toSorted(),
    );
  });
});
