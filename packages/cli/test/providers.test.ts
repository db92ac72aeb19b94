/** `--model`: providers that come along, providers of the project, and what is missing. */

import { LLMock } from "@copilotkit/aimock";
import { describe, expect, it } from "vitest";
import { errorOf, inProject, june } from "./support/june.js";

const own = (provider: string, id: string): string => `import { Agent, Step } from "june";
import { ${provider} } from "june/sdk/${provider}";
export default () => <Agent model={${provider}("${id}")}><Step id="a" prompt="?" /></Agent>;
`;

describe("R4", () => {
  it.concurrent.each([
    ["openai", "OPENAI_API_KEY"],
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ])(
    "R4 names the variable of a missing key in one line, for --model %s and for a model in the file",
    async (provider, variable) => {
      const flag = await june(["run", "echo.tsx", "--model", `${provider}:some-model`]);
      expect(flag).toMatchObject({ code: 2, stdout: "" });
      expect(errorOf(flag)).toBe(
        `june: the model has no key: set ${variable} (or put it in a file for --env-file), or try without a provider: --model echo`,
      );
      await inProject({ "own.tsx": own(provider, "some-model") }, async (cwd) => {
        const inFile = await june(["run", "own.tsx"], { cwd });
        expect(inFile).toMatchObject({ code: 2, stdout: "" });
        expect(errorOf(inFile)).toBe(
          `june: the model has no key: set ${variable} (or put it in a file for --env-file), or take the model out of its <Agent> and try without a provider: --model echo`,
        );
      });
    },
  );

  it.concurrent("R4 names the variable of the gateway for a model that is a string", async () => {
    const text = `import { Agent } from "june";\nexport default <Agent model="openai/gpt-5">hello</Agent>;\n`;
    await inProject({ "gateway.tsx": text }, async (cwd) => {
      const finished = await june(["run", "gateway.tsx"], { cwd });
      expect(finished.code).toBe(2);
      expect(errorOf(finished)).toMatch(/^june: the model has no key: set AI_GATEWAY_API_KEY .*$/);
    });
  });

  it.concurrent.each(["node", "bun"] as const)(
    "R4 says what to install when a provider is missing, on %s",
    async (runtime) => {
      const finished = await june(["run", "echo.tsx", "--model", "mistral:small"], { runtime });
      expect(finished).toMatchObject({ code: 2, stdout: "" });
      expect(errorOf(finished)).toBe(
        "june: --model needs the package @ai-sdk/mistral, which is not installed.\nInstall it with  npm install @ai-sdk/mistral",
      );
      const misspelt = await june(["run", "echo.tsx", "--model", "openia:gpt-5"], { runtime });
      expect(errorOf(misspelt)).toBe(
        'june: --model needs the package @ai-sdk/openia, which is not installed. Did you mean "openai"?\nInstall it with  npm install @ai-sdk/openia',
      );
    },
  );
});

describe("R1", () => {
  it.concurrent.each(["node", "bun"] as const)(
    "R1 --model openai:id calls that provider, with a key from --env-file, on %s",
    async (runtime) => {
      const server = new LLMock({ port: 0, host: "127.0.0.1" });
      server.on({ userMessage: '{"name":"tide"}' }, { content: "It rises." });
      await server.start();
      try {
        const env = { ".env": `OPENAI_API_KEY=from-the-file\nOPENAI_BASE_URL=${server.url}/v1\n` };
        await inProject(env, async (folder) => {
          const words = ["run", "echo.tsx", "--model", "openai:gpt-5:mini", "--prop", "name=tide"];
          const finished = await june([...words, "--env-file", `${folder}/.env`], { runtime });
          expect(finished).toMatchObject({ code: 0, stdout: "It rises.\n" });
          expect(finished.stderr).toContain("openai.responses:gpt-5:mini");
        });
        expect(server.getRequests()).toHaveLength(1);
      } finally {
        await server.stop();
      }
    },
  );

  it.concurrent.each(["node", "bun"] as const)(
    "R1 --model takes another provider from the project, on %s",
    async (runtime) => {
      // A provider as a project would have it: a package whose export is named like it.
      const files = {
        "workflow/node_modules/@ai-sdk/little-one/package.json": JSON.stringify({
          name: "@ai-sdk/little-one",
          type: "module",
          exports: "./index.js",
        }),
        "workflow/node_modules/@ai-sdk/little-one/index.js": `import { scriptedModel } from "june/testing";
const languageModel = (id) => scriptedModel(["answered by " + id]);
export const littleOne = Object.assign(languageModel, { languageModel });
export const createLittleOne = () => littleOne;
`,
        "workflow/main.tsx": `import { Agent } from "june";\nexport default <Agent>hello</Agent>;\n`,
      };
      await inProject(files, async (cwd) => {
        const words = ["run", "workflow/main.tsx", "--model", "little-one:big"];
        expect(await june(words, { cwd, runtime })).toMatchObject({ code: 0, stdout: "answered by big\n" });
      });
    },
  );
});
