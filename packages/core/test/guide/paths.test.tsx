/** The grammar of paths: one string for every place in a run. */

import { tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Catch, Parallel, RequireApproval, Step, Tool, run, type JuneElement } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { allNodes } from "../support/trace-nodes.js";

const ping = tool({ inputSchema: z.object({}), execute: () => "pong" });

async function pathsOf(tree: JuneElement): Promise<string[]> {
  const { trace } = await run(tree, { onRequest: () => ({ approved: true }) });
  return allNodes(trace).map(({ path }) => path);
}

const speak = (id: string, name?: string, key?: string) => (
  <Agent model={echoModel()} {...(name === undefined ? {} : { name })} {...(key === undefined ? {} : { key })}>
    <Step id={id} prompt="go" />
  </Agent>
);

describe("a path", () => {
  it("L64 labels by name, else by key, else by the index among siblings, from 0", async () => {
    expect(
      (
        await pathsOf(
          <>{[speak("a"), speak("b", "guide"), speak("c", undefined, "third"), speak("d", "both", "k"), speak("e")]}</>,
        )
      ).filter((path) => /^\/agent\[[^/]*\]$/.test(path)),
    ).toEqual(["/agent[0]", "/agent[guide]", "/agent[third]", "/agent[both]", "/agent[4]"]);
  });

  it("L64 gives a repeat ~2, then ~3, and takes no name for the index of another", async () => {
    const paths = await pathsOf(
      <>{[speak("a", "guide"), speak("b", "guide"), speak("c", undefined, "guide"), speak("d", "4"), speak("e")]}</>,
    );
    expect(paths.filter((path) => /^\/agent\[[^/]*$/.test(path))).toEqual([
      "/agent[guide]",
      "/agent[guide]~2",
      "/agent[guide]~3",
      "/agent[4]",
      "/agent[4]~2",
    ]);
  });

  it("L1, L64 a key that comes with a spread is the key, and no prop", async () => {
    const seen: unknown[] = [];
    const Part = (props: object) => {
      seen.push(props);
      return null;
    };
    const spread: object = { key: "spread" };
    const elements = [
      <Part {...spread} />,
      <Part key="given" {...spread} />,
      <Part {...spread} key="given" />,
      <Part {...({ key: undefined } as object)} />,
    ];
    expect(elements.map(({ key }) => key)).toEqual(["spread", "spread", "given", null]);
    await run(<>{elements}</>);
    expect(seen).toEqual([{}, {}, {}, {}]);
  });

  it("L64 keeps a label to one segment, whatever it holds", async () => {
    const paths = await pathsOf(<>{[speak("a", "a/b[c]~2%"), speak("b", "a/b[c]~2%"), speak("c", "ü 日本")]}</>);
    expect(paths.filter((path) => path.split("/").length === 2)).toEqual([
      "/agent[a%2Fb%5Bc%5D%7E2%25]",
      "/agent[a%2Fb%5Bc%5D%7E2%25]~2",
      "/agent[ü 日本]",
    ]);
  });

  it("L64 names steps by id, model calls and tool calls by count, requests by kind", async () => {
    const model = scriptedModel([
      { calls: [{ name: "ping" }, { name: "held" }, { name: "ping" }] },
      { calls: [{ name: "ping" }] },
      "done",
      "done",
    ]);
    const paths = await pathsOf(
      <Agent model={model}>
        <Tool name="ping" value={ping} />
        <RequireApproval>
          <Tool name="held" value={ping} />
        </RequireApproval>
        <Step id="one" prompt="go" />
        <Step id="two" prompt="go" />
      </Agent>,
    );
    expect(paths.toSorted()).toEqual(
      [
        "",
        "/agent[0]",
        "/agent[0]/step[one]",
        "/agent[0]/step[one]/model[0]",
        "/agent[0]/step[one]/model[0]/tool[0:ping]",
        "/agent[0]/step[one]/model[0]/tool[1:held]",
        "/agent[0]/step[one]/model[0]/tool[1:held]/request[approval]",
        "/agent[0]/step[one]/model[0]/tool[2:ping]",
        "/agent[0]/step[one]/model[1]",
        "/agent[0]/step[one]/model[1]/tool[0:ping]",
        "/agent[0]/step[one]/model[2]",
        "/agent[0]/step[two]",
        "/agent[0]/step[two]/model[0]",
      ].toSorted(),
    );
  });

  it("L64 names branches by position or key, never by time, and attempts by count", async () => {
    const slow = (id: string, waitMs: number) => (
      <Agent model={scriptedModel([{ text: "done", waitFor: new Promise((resolve) => setTimeout(resolve, waitMs)) }])}>
        <Step id={id} prompt="go" />
      </Agent>
    );
    let attempts = 0;
    const Flaky = () => {
      if (attempts++ === 0) throw new Error("again");
      return null;
    };
    const paths = await pathsOf(
      <>
        <Parallel>
          {slow("a", 20)}
          {slow("b", 0)}
          <Parallel key="inner">{[slow("c", 10), <Agent key="last" model={echoModel()} />]}</Parallel>
        </Parallel>
        <Catch retries={1}>
          <Flaky />
          {speak("d")}
        </Catch>
      </>,
    );
    expect(paths.filter((path) => !path.includes("/step["))).toEqual([
      "",
      "/parallel[0]/branch[0]/agent[0]",
      "/parallel[0]/branch[1]/agent[0]",
      "/parallel[0]/branch[inner]/parallel[inner]/branch[0]/agent[0]",
      "/parallel[0]/branch[inner]/parallel[inner]/branch[last]/agent[last]",
      "/catch[0]/attempt[0]",
      "/catch[0]/attempt[0]/component[Flaky]",
      "/catch[0]/attempt[1]",
      "/catch[0]/attempt[1]/component[Flaky]",
      "/catch[0]/attempt[1]/agent[0]",
    ]);
  });

  it("L64 does not change for what stands in a component when the component is written out", async () => {
    const Wrapped = () => speak("a");
    const wrapped = await pathsOf(<Wrapped />);
    const plain = await pathsOf(speak("a"));
    expect(wrapped.filter((path) => !path.includes("component"))).toEqual(plain);
    expect(wrapped).toContain("/component[Wrapped]");
  });

  it("L64 is stable: the same tree gives the same paths again, in requests and events as in the trace", async () => {
    const tree = () => (
      <Parallel>
        {["x", "y"].map((id) => (
          <Agent key={id} model={scriptedModel([{ calls: [{ name: "held" }] }, "done"])}>
            <RequireApproval>
              <Tool name="held" value={ping} />
            </RequireApproval>
            <Step id={id} prompt="go" />
          </Agent>
        ))}
      </Parallel>
    );
    const seen = async () => {
      const requests: string[] = [];
      const handle = run(tree(), {
        onRequest: ({ path }) => {
          requests.push(path);
          return { approved: true };
        },
      });
      const events = new Set<string>();
      for await (const event of handle.events) events.add(event.path);
      return {
        requests,
        events: [...events].toSorted(),
        trace: allNodes((await handle).trace)
          .map(({ path }) => path)
          .toSorted(),
      };
    };
    const first = await seen();
    expect(await seen()).toEqual(first);
    expect(first.events).toEqual([...new Set(first.trace)]);
    expect(first.requests).toEqual(
      ["x", "y"].map((id) => `/parallel[0]/branch[${id}]/agent[${id}]/step[${id}]/model[0]/tool[0:held]`),
    );
  });
});
