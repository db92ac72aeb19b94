/** `june run` loads files of every kind on both runtimes, with June's JSX whatever is around them. */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, inProject, june } from "./support/june.js";

const jsx = `import { Agent, Step } from "june";
export default function Workflow() {
  return (
    <Agent>
      <Step id="said" prompt="loaded" />
    </Agent>
  );
}
`;
const calls = `import { Agent, createElement, Step } from "june";
export default () => createElement(Agent, null, createElement(Step, { id: "said", prompt: "loaded" }));
`;
/** A mistake whose message holds the place of an element. */
const misplaced = `import { Step } from "june";

export default function Workflow() {
  return <Step id="lonely" prompt="?" />;
}
`;
const tsconfig = (compilerOptions: object, rest: object = {}): string => JSON.stringify({ compilerOptions, ...rest });

describe.each(["node", "bun"] as const)("on %s", (runtime) => {
  const run = (folder: string, file: string, env: Record<string, string> = {}) =>
    june(["run", file, "--model", "echo"], { cwd: folder, runtime, env });

  it.concurrent.each([
    ["workflow.tsx", jsx],
    ["workflow.jsx", jsx],
    ["workflow.ts", calls],
    ["workflow.mjs", calls],
  ])("R1 runs %s in a folder with no configuration", async (file, text) => {
    await inProject({ [file]: text }, async (folder) => {
      expect(await run(folder, file)).toMatchObject({ code: 0, stdout: "loaded\n" });
    });
  });

  it.concurrent.each([
    ["none", {}],
    ["React's", { "tsconfig.json": tsconfig({ jsx: "react-jsx", jsxImportSource: "react" }) }],
    ["a classic factory", { "tsconfig.json": tsconfig({ jsx: "react", jsxFactory: "h", jsxFragmentFactory: "F" }) }],
    ["preserved", { "tsconfig.json": tsconfig({ jsx: "preserve" }) }],
    ["a tsconfig that leaves the file out", { "tsconfig.json": tsconfig({}, { include: ["other"], exclude: ["*"] }) }],
    ["a package of CommonJS", { "package.json": JSON.stringify({ type: "commonjs" }) }],
    ["a package of modules", { "package.json": JSON.stringify({ type: "module" }) }],
  ])("R1 uses June's JSX in its development form beside JSX settings: %s", async (_name, around) => {
    await inProject({ "in/workflow.tsx": misplaced, ...around }, async (folder) => {
      const finished = await run(folder, "in/workflow.tsx");
      expect(errorOf(finished)).toBe(
        'june: <Step id="lonely"> (in/workflow.tsx:4) has no <Agent> around it\nPut it inside an <Agent>.',
      );
      expect(finished.code).toBe(2);
    });
  });

  it.concurrent("R1 uses June's JSX in an imported file from where June cannot be imported", async () => {
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "june-cli-elsewhere-")));
    try {
      writeFileSync(join(elsewhere, "part.tsx"), "export const part = <>from elsewhere</>;\n");
      const text = `import { Agent } from "june";\nimport { part } from ${JSON.stringify(join(elsewhere, "part.tsx"))};\nexport default <Agent>{part}</Agent>;\n`;
      await inProject({ "workflow.tsx": text }, async (folder) => {
        expect(await run(folder, "workflow.tsx")).toMatchObject({ code: 0, stdout: "from elsewhere\n" });
      });
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it.concurrent("R1 keeps the paths of the nearest tsconfig, also those it extends", async () => {
    const files = {
      "tsconfig.base.json": tsconfig({ jsx: "react-jsx", paths: { "@/*": ["./lib/*"] } }),
      "app/tsconfig.json": JSON.stringify({ extends: "../tsconfig.base.json" }),
      "lib/words.ts": `export const word: string = "by its alias";\n`,
      "app/workflow.tsx": `import { Agent } from "june";\nimport { word } from "@/words";\nexport default <Agent>{word}</Agent>;\n`,
    };
    await inProject(files, async (folder) => {
      expect(await run(folder, "app/workflow.tsx")).toMatchObject({ code: 0, stdout: "by its alias\n" });
    });
  });

  it.concurrent("R1 leaves a file its own pragma", async () => {
    const files = {
      "package.json": JSON.stringify({ imports: { "#own/*": "./own.mjs" } }),
      "own.mjs": `export const jsxDEV = (type) => "made by " + type;\nexport const jsx = jsxDEV;\n`,
      "part.tsx": `/** @jsxRuntime automatic */\n/** @jsxImportSource #own */\nexport const part = <pragma />;\n`,
      "workflow.tsx": `import { Agent } from "june";\nimport { part } from "./part";\nexport default <Agent>{part as never}</Agent>;\n`,
    };
    await inProject(files, async (folder) => {
      expect(await run(folder, "workflow.tsx")).toMatchObject({ code: 0, stdout: "made by pragma\n" });
    });
  });

  it.concurrent("R1 takes await at the top level, and errors of the author's code with their line", async () => {
    const text = `import { Agent } from "june";
interface Shape {
  readonly a: string;
}
const shape: Shape = await Promise.resolve({ a: "x" });
export default function Workflow() {
  if (shape.a === "x") throw new Error("no x", { cause: new RangeError("too far") });
  return <Agent />;
}
`;
    await inProject({ "workflow.tsx": text }, async (folder) => {
      const { code, stderr } = await run(folder, "workflow.tsx");
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /\njune: <Workflow> failed: no x\n {2}at workflow\.tsx:7\n {2}caused by too far\n {4}at workflow\.tsx:7\n$/,
      );
    });
  });

  it.concurrent("R1 reads a .env only with --env-file, and what the environment has wins", async () => {
    const text = `import { Agent } from "june";
export default () => <Agent>{["FROM_FILE", "EXPANDED", "SET"].map((name) => process.env[name]).join("|")}</Agent>;
`;
    const files = {
      "workflow.tsx": text,
      ".env": "FROM_FILE=file\nEXPANDED=${FROM_FILE}x\nSET=file\n",
      "my.env": "FROM_FILE='my file'\nSET=mine\n",
    };
    await inProject(files, async (folder) => {
      const env = { SET: "outside" };
      expect(await run(folder, "workflow.tsx", env)).toMatchObject({ stdout: "||outside\n" });
      const withFile = ["run", "workflow.tsx", "--model", "echo", "--env-file", "my.env"];
      expect(await june(withFile, { cwd: folder, runtime, env })).toMatchObject({ stdout: "my file||outside\n" });
    });
  });
});

it.concurrent("R1 runs with a tsconfig that cannot be read, and says that its paths are not used", async () => {
  const files = { "workflow.tsx": jsx, "tsconfig.json": JSON.stringify({ extends: "./gone.json" }) };
  await inProject(files, async (folder) => {
    const { code, stdout, stderr } = await june(["run", "workflow.tsx", "--model", "echo"], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "loaded\n" });
    expect(stderr).toMatch(/^june: .*tsconfig\.json cannot be read \(.*gone\.json.*\), so its paths are not used\n/);
  });
});
