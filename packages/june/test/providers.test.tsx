/** The provider packages of june/sdk over real HTTP: a server on loopback that speaks each provider's protocol, June, the AI SDK and nothing in between. */

import { LLMock } from "@copilotkit/aimock";
import { tool, type LanguageModel } from "ai";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { Agent, RequireApproval, Step, Tool, run, type Answer, type JuneElement } from "june";
import { createAnthropic } from "june/sdk/anthropic";
import { createOpenAI } from "june/sdk/openai";
import { startFront, type Front, type Interference } from "./support/front.js";

const question = "How warm is it in Oslo?";
const slowDown = '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}';
const finalAnswer = "It is seven degrees in Oslo.";

interface Provider {
  readonly name: string;
  readonly path: string;
  readonly model: (baseURL: string) => LanguageModel;
}

const providers: readonly Provider[] = [
  {
    name: "openai (Responses)",
    path: "/v1/responses",
    model: (baseURL) => createOpenAI({ apiKey: "test", baseURL })("gpt-5-mini"),
  },
  {
    name: "openai.chat",
    path: "/v1/chat/completions",
    model: (baseURL) => createOpenAI({ apiKey: "test", baseURL }).chat("gpt-5-mini"),
  },
  {
    name: "anthropic",
    path: "/v1/messages",
    model: (baseURL) => createAnthropic({ apiKey: "test", baseURL })("claude-sonnet-4-5"),
  },
];

let server: LLMock;
let ran: string[];

beforeEach(async () => {
  ran = [];
  server = new LLMock({ port: 0, host: "127.0.0.1" });
  server.on(
    { userMessage: question, hasToolResult: false },
    { toolCalls: [{ name: "temperature", arguments: '{"city":"Oslo"}' }], usage: usage(20, 5) },
  );
  server.on({ hasToolResult: true }, { content: finalAnswer, usage: usage(30, 7) }, { chunkSize: "It is".length });
  await server.start();
});

afterEach(() => server.stop());

/** Each protocol reads the names it knows. */
function usage(input: number, output: number): Record<string, number> {
  return { input_tokens: input, output_tokens: output, prompt_tokens: input, completion_tokens: output };
}

function Weather({ model, asks }: { model: LanguageModel; asks: boolean }): JuneElement {
  const temperature = (
    <Tool
      name="temperature"
      value={tool({
        description: "The temperature in a city",
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => {
          ran.push(city);
          return `seven degrees in ${city}`;
        },
      })}
    />
  );
  return (
    <Agent name="weather" model={model} instructions="Answer in one sentence.">
      {asks ? <RequireApproval reason="Sensors cost money.">{temperature}</RequireApproval> : temperature}
      <Step id="ask" prompt={question} />
    </Agent>
  );
}

function requestsTo(path: string): string[] {
  const requests = server.getRequests();
  expect(requests.map((request) => request.path)).toEqual(requests.map(() => path));
  return requests.map(({ body }) => JSON.stringify(body));
}

async function openFront(interfere: (index: number) => Interference | undefined): Promise<Front> {
  const front = await startFront(server.url, interfere);
  onTestFinished(() => front.close());
  return front;
}

describe.each(providers)("june/sdk: $name", ({ path, model }) => {
  describe.each([false, true])("stream: %s", (stream) => {
    it("L48 makes a tool round trip, and adds up what the provider counted", async () => {
      const result = await run(<Weather model={model(`${server.url}/v1`)} asks={false} />, { stream });

      expect(result.output).toBe(finalAnswer);
      expect(ran).toEqual(["Oslo"]);
      const [first, second, ...more] = requestsTo(path);
      expect(first).toContain("Answer in one sentence.");
      expect(first).not.toContain("seven degrees");
      expect(second).toContain("seven degrees in Oslo");
      expect(more).toEqual([]);
      expect(result.usage.total).toMatchObject({ inputTokens: 50, outputTokens: 12, totalTokens: 62 });
    });

    it("L45 holds the call until it is approved, then runs it once", async () => {
      const asked: unknown[] = [];
      const onRequest = ({ tool: name, input, reason }: { tool: string; input: unknown; reason?: string }): Answer => {
        asked.push({ name, input, reason, ran: [...ran] });
        return { approved: true };
      };
      const result = await run(<Weather model={model(`${server.url}/v1`)} asks />, { stream, onRequest });

      expect(asked).toEqual([{ name: "temperature", input: { city: "Oslo" }, reason: "Sensors cost money.", ran: [] }]);
      expect(ran).toEqual(["Oslo"]);
      expect(result.output).toBe(finalAnswer);
      expect(requestsTo(path)[1]).toContain("seven degrees in Oslo");
    });

    it("L45 runs nothing when it is denied, and the provider gets the reason", async () => {
      const onRequest = (): Answer => ({ approved: false, reason: "The budget is spent." });
      const result = await run(<Weather model={model(`${server.url}/v1`)} asks />, { stream, onRequest });

      expect(ran).toEqual([]);
      expect(result.output).toBe(finalAnswer);
      const [, second] = requestsTo(path);
      expect(second).toContain("The budget is spent.");
      expect(second).not.toContain("seven degrees");
    });

    it("calls again after a 429, when the provider says", async () => {
      const front = await openFront((index) =>
        index === 0 ? { status: 429, headers: { "retry-after-ms": "5" }, body: slowDown } : undefined,
      );
      const handle = run(<Weather model={model(`${front.url}/v1`)} asks={false} />, { stream });
      expect((await handle).output).toBe(finalAnswer);

      const [first, second] = front.arrivedAtMs as [number, number];
      expect(front.arrivedAtMs).toHaveLength(3);
      expect(second - first).toBeLessThan(1_500); // unasked, the first wait is 2,000 ms
      expect(requestsTo(path)).toHaveLength(2);
      expect(JSON.stringify(handle.trace)).toContain("Slow down.");
    });
  });

  it.each(["end", "reset"] as const)("L25 takes no stream that was cut (%s) for an answer", async (how) => {
    const { promise: when, resolve: cut } = Promise.withResolvers<void>();
    const front = await openFront((index) => (index === 1 ? { after: "It is", when, how } : undefined));
    const handle = run(<Weather model={model(`${front.url}/v1`)} asks={false} />, { stream: true });
    let text = "";
    for await (const event of handle.events) {
      if (event.type !== "text-delta") continue;
      text += event.text;
      if (text === "It is") cut();
    }

    const [, modelId] = /"model":"([^"]+)"/.exec(JSON.stringify(server.getLastRequest()?.body)) ?? [];
    await expect(handle).rejects.toMatchObject({
      name: "RunError",
      code: "stream-cut",
      message: `june: the stream of the model "${modelId}" ended before the answer was finished\nThe connection was probably lost: try again.`,
    });
    expect(text).toBe("It is");
    expect(ran).toEqual(["Oslo"]);
    expect(front.arrivedAtMs).toHaveLength(2);
  });
});

describe("june/sdk without a key", () => {
  it.each([
    ["OPENAI_API_KEY", "OpenAI", "gpt-5-mini", createOpenAI()],
    ["ANTHROPIC_API_KEY", "Anthropic", "claude-sonnet-4-5", createAnthropic()],
  ])("names %s, before anything is sent", async (variable, company, modelId, provider) => {
    vi.stubEnv(variable, undefined);
    onTestFinished(() => void vi.unstubAllEnvs());

    await expect(run(<Weather model={provider(modelId)} asks={false} />)).rejects.toMatchObject({
      name: "RunError",
      code: "model-failed",
      message: `june: the model "${modelId}" failed in the step "ask": ${company} API key is missing. Pass it using the 'apiKey' parameter or the ${variable} environment variable.`,
    });
  });
});
