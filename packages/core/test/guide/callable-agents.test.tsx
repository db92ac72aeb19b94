/** Callable agents: an agent as one tool of another, looked at before any model call, and run alone. Long because each sentence of its rules has a test. */

import { Output, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Inherit,
  Namespace,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  defineCapabilities,
  defineToolset,
  run,
  type JuneNode,
} from "@june/core";
import { echoModel, scriptedModel, type ScriptedModel } from "@june/core/testing";
import { withoutPlaces } from "../support/places.js";
import { everythingSent, resultOutputs } from "../support/prompts.js";
import { errorOf } from "../support/rejection-of.js";
import { nodesOf } from "../support/trace-nodes.js";

const modes = [{ stream: false }, { stream: true }];
const question = z.object({ question: z.string() });
const ping = tool({ description: "Ping", inputSchema: z.object({}), execute: () => "pong" });
const ask = (name = "researcher", text = "why?") => ({ calls: [{ name, input: { question: text } }] });

function defineResearcher(model: ScriptedModel | undefined, capabilities?: () => JuneNode) {
  return defineAgent({
    name: "researcher",
    description: "Finds things out",
    input: question,
    prompt: ({ question: text }) => `Find out: ${text}`,
    instructions: "Be brief.",
    ...(model === undefined ? {} : { model }),
    ...(capabilities === undefined ? {} : { capabilities }),
  });
}

describe("as a tool", () => {
  it.each(modes)(
    "C45 declares one tool, and knows of the call only what prompt says (stream: $stream)",
    async ({ stream }) => {
      const inner = scriptedModel([
        { text: "Because.", expect: { user: "Find out: why?", instructions: "Be brief.", tools: [] } },
      ]);
      const outer = scriptedModel([{ ...ask(), expect: { tools: ["researcher"] } }, "done"]);
      const Researcher = defineResearcher(inner);
      const result = await run(
        <Agent model={outer} instructions="outer instructions">
          <Researcher />
          <Step id="first" prompt="something private" />
        </Agent>,
        { stream },
      );
      expect(result.output).toBe("done");
      expect(resultOutputs(outer, 1)).toEqual([{ type: "text", value: "Because." }]);
      expect(outer.calls[0]!.options.tools).toMatchObject([
        {
          name: "researcher",
          description: "Finds things out",
          inputSchema: { properties: { question: { type: "string" } }, required: ["question"] },
        },
      ]);
      expect(everythingSent(inner)).not.toContain("private");
      expect(everythingSent(inner)).not.toContain("outer instructions");
    },
  );

  it("C45 takes a name and a model where it stands, and two of them are two tools", async () => {
    const own = scriptedModel(["by its own"]);
    const given = scriptedModel(["by the one given"]);
    const Researcher = defineResearcher(own);
    const outer = scriptedModel([{ calls: [...ask("researcher").calls, ...ask("second").calls] }, "done"]);
    const { trace } = await run(
      <Agent model={outer}>
        <Researcher />
        <Researcher name="second" model={given} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(resultOutputs(outer, 1)).toEqual([
      { type: "text", value: "by its own" },
      { type: "text", value: "by the one given" },
    ]);
    expect(nodesOf(trace, "agent")[0]!.capabilities).toEqual([
      { name: "researcher", source: "<researcher>", composite: true },
      { name: "second", source: "<researcher>", composite: true },
    ]);
  });

  it("C45 takes the props of its capabilities, each appearance its own", async () => {
    const Reader = defineAgent({
      name: "reader",
      description: "Reads",
      input: z.object({}),
      prompt: () => "read",
      capabilities: ({ root, deep = false }: { root: string; deep?: boolean }) => (
        <Tool
          name={deep ? "read_deep" : "read"}
          value={tool({ inputSchema: z.object({}), execute: () => `read ${root}` })}
        />
      ),
    });
    const models = [
      scriptedModel([{ calls: [{ name: "read" }] }, { text: "a", expect: { results: ["read ./a"] } }]),
      scriptedModel([{ calls: [{ name: "read_deep" }] }, { text: "b", expect: { results: ["read ./b"] } }]),
    ] as const;
    const outer = scriptedModel([
      {
        calls: [
          { name: "reader", input: {} },
          { name: "other", input: {} },
        ],
      },
      "done",
    ]);
    await run(
      <Agent model={outer}>
        <Reader root="./a" model={models[0]} />
        <Reader name="other" root="./b" deep model={models[1]} />
        <Step id="x" prompt="go" />
      </Agent>,
    );
    expect(resultOutputs(outer, 1)).toEqual([
      { type: "text", value: "a" },
      { type: "text", value: "b" },
    ]);
  });

  it("C45 may declare tools, toolsets, bundles, wrappers, callable agents and <Inherit>", async () => {
    const Box = defineToolset({ name: "Box", tools: () => ({ boxed: ping }) });
    const Live = defineToolset({ name: "Live", key: () => "k", open: async () => ({ tools: { live: ping } }) });
    const Bundle = defineCapabilities(() => <Tool name="bundled" value={ping} />, { name: "Bundle" });
    const Deeper = defineAgent({
      name: "deeper",
      description: "Digs",
      input: z.object({}),
      prompt: () => "dig",
      model: echoModel(),
    });
    const inner = scriptedModel([
      {
        text: "found",
        expect: { tools: ["ping", "boxed", "live", "bundled", "net_held", "deeper", "granted"] },
      },
    ]);
    const Researcher = defineResearcher(inner, () => (
      <>
        <Tool name="ping" value={ping} />
        <Box />
        <Live />
        <Bundle />
        <Namespace name="net">
          <RequireApproval>
            <Tool name="held" value={ping} />
          </RequireApproval>
        </Namespace>
        <Deeper />
        <Inherit capabilities={["granted"]} />
      </>
    ));
    const { output } = await run(
      <Agent model={scriptedModel([ask(), "done"])}>
        <Tool name="granted" value={ping} />
        <Researcher />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(output).toBe("done");
    expect(inner.calls).toHaveLength(1);
  });

  it("C45 answers with the parsed object as JSON when it has an output", async () => {
    const Judge = defineAgent({
      name: "judge",
      description: "Judges",
      input: z.object({}),
      prompt: () => "judge",
      output: Output.object({ schema: z.object({ score: z.number(), note: z.string().default("none") }) }),
      model: scriptedModel(['{"score": 7}']),
    });
    const outer = scriptedModel([{ calls: [{ name: "judge", input: {} }] }, "done"]);
    await run(
      <Agent model={outer}>
        <Judge />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(resultOutputs(outer, 1)).toEqual([{ type: "json", value: { score: 7, note: "none" } }]);
  });

  it("C45 calls prompt once per call, with the validated input", async () => {
    const seen: unknown[] = [];
    const Reader = defineAgent({
      name: "reader",
      description: "Reads",
      input: z.object({ limit: z.number().default(20), id: z.string().transform((text) => text.length) }),
      prompt: (input) => {
        seen.push(input);
        return "read";
      },
      model: scriptedModel(() => "read"),
    });
    const outer = scriptedModel([
      {
        calls: [
          { name: "reader", input: { id: "abc" } },
          { name: "reader", input: { id: 5 } },
        ],
      },
      "done",
    ]);
    await run(
      <Agent model={outer}>
        <Reader />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(seen).toEqual([{ limit: 20, id: 3 }]);
    expect(resultOutputs(outer, 1)[1]).toMatchObject({ type: "error-text" });
  });
});

describe("before any model call", () => {
  it("C45 its mistakes show when the calling agent resolves, however deep", async () => {
    const outer = scriptedModel([]);
    const Deep = defineAgent({
      name: "deep",
      description: "Digs",
      input: z.object({}),
      prompt: () => "dig",
      model: scriptedModel([]),
      capabilities: () => (
        <>
          <Tool name="search" value={ping} />
          <Tool name="search" value={ping} />
        </>
      ),
    });
    const Middle = defineResearcher(scriptedModel([]), () => <Deep />);
    const error = await errorOf(
      run(
        <Agent model={outer}>
          <Middle />
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ code: "tool-name-collision", name: "DeclarationError" });
    expect(withoutPlaces(error.message)).toBe(
      'june: two capabilities expose the tool "search" in <deep> (HERE)\n  <Tool name="search">      HERE\n  <Tool name="search">      HERE\nRename one, or put one inside <Namespace name="…">.',
    );
    expect(outer.calls).toHaveLength(0);
  });

  it("C45 an <Inherit> of a tool the calling agent lacks, and a missing model, show too", async () => {
    const outer = scriptedModel([]);
    const Inheriting = defineResearcher(scriptedModel([]), () => <Inherit capabilities={["pong"]} />);
    const inherit = await errorOf(
      run(
        <Agent model={outer}>
          <Tool name="ping" value={ping} />
          <Inheriting />
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    );
    expect(inherit).toMatchObject({
      code: "inherit-unknown",
      details: { name: "pong", existing: ["ping", "researcher"] },
    });
    const Modelless = defineResearcher(undefined);
    const modelless = await errorOf(
      run(
        <Agent model={outer}>
          <Modelless />
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    );
    expect(modelless).toMatchObject({ code: "no-model" });
    expect(withoutPlaces(modelless.message)).toBe(
      "june: <researcher> (HERE) has no model\nSet <Agent model={…}>, or give a default with run(element, { model }) or june run --model provider:id.",
    );
    expect(outer.calls).toHaveLength(0);
  });

  it("C45 looks without opening: a toolset inside opens when the agent is called", async () => {
    const log: string[] = [];
    const Live = defineToolset({
      name: "Live",
      key: () => "k",
      open: async () => {
        log.push("opened");
        return { tools: { live: ping }, close: () => void log.push("closed") };
      },
    });
    const Researcher = defineResearcher(
      scriptedModel(() => {
        log.push("inner model");
        return "found";
      }),
      () => <Live />,
    );
    const outer = scriptedModel([
      () => {
        log.push("outer model");
        return ask();
      },
      "done",
    ]);
    await run(
      <Agent model={outer}>
        <Researcher />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(log).toEqual(["outer model", "opened", "inner model", "closed"]);
  });

  it("C45 stops looking at a definition that is in the chain already", async () => {
    let folded = 0;
    const Looping = defineAgent({
      name: "looping",
      description: "Loops",
      input: z.object({}),
      prompt: () => "loop",
      model: scriptedModel(() => "stop"),
      capabilities: (): JuneNode => {
        folded++;
        return <Looping />;
      },
    });
    const { output } = await run(
      <Agent model={scriptedModel(["done"])}>
        <Looping />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect([output, folded]).toEqual(["done", 1]);
  });

  it("C45 two that call each other stop at limits.depth, and the error shows the chain", async () => {
    const model = scriptedModel(({ tools, prompt }) =>
      prompt.at(-1)!.role === "tool" ? "done" : { calls: [{ name: tools[0]!, input: {} }] },
    );
    const Ping = defineAgent({
      name: "ping",
      description: "Pings",
      input: z.object({}),
      prompt: () => "go",
      capabilities: (): JuneNode => <Pong />,
    });
    const Pong = defineAgent({
      name: "pong",
      description: "Pongs",
      input: z.object({}),
      prompt: () => "go",
      capabilities: (): JuneNode => <Ping />,
    });
    const tree = (
      <Agent>
        <Ping />
        <Step id="a" prompt="go" />
      </Agent>
    );
    const error = await errorOf(run(tree, { model, limits: { depth: 3 } }));
    expect(error).toMatchObject({ code: "limit-reached", name: "RunError", details: { limit: "depth", value: 3 } });
    expect(error.message).toBe(
      "june: the run reached limits.depth (3) at /agent[0]/step[a]/model[0]/tool[0:ping]/agent[ping]/step[answer]/model[0]/tool[0:pong]/agent[pong]/step[answer]/model[0]/tool[0:ping]/agent[ping]/step[answer]/model[0]/tool[0:pong]\nThe chain is <ping> > <pong> > <ping> > <pong>.\nRaise limits.depth in the options of run() if this much is meant.",
    );
    expect(model.calls).toHaveLength(4);
    const unbounded = await errorOf(run(tree, { model }));
    expect(unbounded).toMatchObject({ code: "limit-reached", details: { limit: "depth", value: 32 } });
    expect(unbounded.message).toContain(
      "The chain is <ping> > <pong> > <ping> > <pong> > <ping> > <pong> > <…> > ".replace("<…>", "…"),
    );
  });
});

describe("alone", () => {
  it.each(modes)(
    "C45 run(input, options) runs it, with its own props and the options of a run (stream: $stream)",
    async ({ stream }) => {
      const model = scriptedModel([
        { calls: [{ name: "read" }] },
        { text: "read it", expect: { user: "Read a", results: ["./docs"] } },
      ]);
      const Reader = defineAgent({
        name: "reader",
        description: "Reads",
        input: z.object({ file: z.string() }),
        prompt: ({ file }) => `Read ${file}`,
        capabilities: ({ root }: { root: string }) => (
          <Tool name="read" value={tool({ inputSchema: z.object({}), execute: () => root })} />
        ),
      });
      const handle = Reader.run({ file: "a" }, { props: { root: "./docs" }, model, stream });
      const result = await handle;
      expect(result.output).toBe("read it");
      expect(result.steps).toEqual({ answer: "read it" });
      expect(result.messages("reader")).toHaveLength(4);
      expect(nodesOf(result.trace, "agent").map(({ name }) => name)).toEqual(["reader"]);
    },
  );

  it("C45 gives the parsed output", async () => {
    const Judge = defineAgent({
      name: "judge",
      description: "Judges",
      input: z.object({}),
      prompt: () => "judge",
      output: Output.object({ schema: z.object({ score: z.number() }) }),
      model: scriptedModel(['{"score": 7}']),
    });
    const { output } = await Judge.run({});
    expect(output.score).toBe(7);
  });

  it("C45 an input that does not fit rejects the handle before anything runs, and says why", async () => {
    const model = scriptedModel([]);
    const error = await errorOf(defineResearcher(model).run({ question: 5 as never }));
    expect(error).toMatchObject({ code: "component-failed", cause: { code: "tool-input", name: "RunError" } });
    expect(error.message).toContain('june: <researcher> failed: the input does not fit the tool "researcher": ');
    expect(model.calls).toHaveLength(0);
  });
});

describe("its definition", () => {
  it("C45 is checked when it is made, and names the option that is wrong", () => {
    const good = { name: "a", description: "b", input: z.object({}), prompt: () => "c" };
    for (const [definition, message] of [
      [
        { ...good, name: "" },
        "june: defineAgent(): name is empty text\nname is the name of the tool, text that is not empty.",
      ],
      [
        { ...good, description: " " },
        "june: defineAgent(): description is empty text\ndescription is text that is not empty, for the calling model.",
      ],
      [{ ...good, prompt: "c" }, "june: defineAgent(): prompt is text\nprompt is a function of the input."],
      [
        { ...good, capabilities: [] },
        "june: defineAgent(): capabilities is an array\ncapabilities is a function that returns capabilities.",
      ],
      [
        { ...good, input: z.string() },
        'june: defineAgent(): input of "a" cannot be given to a model: its root is of type "string", not "object"\nUse an object at the root, such as z.object({ … }).',
      ],
      [
        { ...good, instrucions: "x" },
        'june: defineAgent(): there is no option instrucions\nSee the settings of <Agent>. Did you mean "instructions"?',
      ],
    ] as const) {
      expect(() => defineAgent(definition as never)).toThrowError(message);
      expect(() => defineAgent(definition as never)).toThrowError(expect.objectContaining({ code: "invalid-option" }));
    }
  });
});
