/** Everything a person can get wrong at the command line: one clear message and the right exit code. */

import { describe, expect, it } from "vitest";
import { errorOf, inProject, june, runtimes } from "./support/june.js";

const files = {
  "nomodel.tsx": `import { Agent, Step } from "june";\nexport default () => (\n  <Agent>\n    <Step id="a" prompt="?" />\n  </Agent>\n);\n`,
  "element.tsx": `import { Agent } from "june";\nexport default <Agent>hello</Agent>;\n`,
  "none.tsx": `export const Release = () => null;\nexport const helper = 3;\n`,
  "nothing.ts": "export {};\n",
  "number.ts": "export default 42;\n",
  "object.ts": "export default { agent: 1 };\n",
  "props.tsx": `import { Agent, Step } from "june";\nexport default () => <Agent><Step id="a" promt="?" /></Agent>;\n`,
  "syntax.tsx": `import { Agent } from "june";\nexport default function W() {\n  return <Agent>;\n}\n`,
  "syntax.ts": "const a: = 1;\n",
  "syntax.mjs": "const a = 1;\nexport default function (\n",
  "imported.ts": `import "./syntax.js";\nexport default () => null;\n`,
  "file.ts": `import { x } from "./gone.js";\nexport default x;\n`,
  "package.ts": `import x from "@left/padding/sub";\nexport default x;\n`,
  "name.ts": `import { nope } from "./nothing.js";\nexport default nope;\n`,
  "throws.ts": `function boom(): never {\n  throw new Error("top level");\n}\nboom();\nexport default 1;\n`,
  "global.ts": `export default () => Bun.file("x").name;\n`,
  "global-load.ts": `const x = Bun.version;\nexport default () => x;\n`,
  "protocol.ts": `import { Database } from "bun:sqlite";\nexport default () => String(Database);\n`,
  "notes.md": "# no workflow\n",
};
const misspelt = (name: string): string => `unknown option '${name}'`;
const needsBun = (file: string, what: string): string =>
  `june: ${file} uses ${what}, which Node does not have: run it with  bunx june run ${file}`;

async function run(words: readonly string[], runtime: "node" | "bun" = "node") {
  return inProject(files, async (cwd) => {
    const finished = await june(["run", ...words], { cwd, runtime });
    return { code: finished.code, stdout: finished.stdout, error: errorOf(finished) };
  });
}

describe("R1", () => {
  it.concurrent.each([
    [["absent.tsx"], "june: there is no file absent.tsx."],
    [["nomodl.tsx"], 'june: there is no file nomodl.tsx. Did you mean "nomodel.tsx"?'],
    [["notes.md"], "june: notes.md is no workflow file. june loads .tsx, .ts, .jsx, .mjs files."],
    [["."], "june: . is no workflow file. june loads .tsx, .ts, .jsx, .mjs files."],
    [
      ["none.tsx"],
      "june: none.tsx has no default export.\nIt exports Release, helper: choose one with --export Release, or make one the default export.",
    ],
    [
      ["nothing.ts"],
      "june: nothing.ts has no default export.\nExport a component or an element: export default function Workflow() { … }",
    ],
    [
      ["none.tsx", "--export", "Relaese"],
      'june: none.tsx has no export "Relaese".\nIt exports Release, helper. Did you mean "Release"?',
    ],
    [
      ["number.ts"],
      "june: the default export of number.ts is the number 42, not a component or an element.\nA component is a function of its props that returns JSX.",
    ],
    [
      ["object.ts"],
      "june: the default export of object.ts is an object, not a component or an element.\nA component is a function of its props that returns JSX.",
    ],
    [
      ["none.tsx", "--export", "helper"],
      'june: the export "helper" of none.tsx is the number 3, not a component or an element.\nA component is a function of its props that returns JSX.',
    ],
    [
      ["element.tsx", "--prop", "a=b"],
      "june: element.tsx exports an element, which has its props already.\nExport the component instead to give props here, or leave --prop and --props out.",
    ],
    [["nomodel.tsx", "--prop", "name"], 'june: --prop "name" has no value. Write  --prop name=value'],
    [
      ["nomodel.tsx", "--props", "[1]"],
      `june: the props of --props are no JSON object: they are an array.\nGive them as  --props '{"name": "value"}',  --props @file.json  or  --props -  for the standard input.`,
    ],
    [
      ["nomodel.tsx", "--props", "{bad"],
      `june: the props of --props are no JSON object: Expected property name or '}' in JSON at position 1 (line 1 column 2)\nGive them as  --props '{"name": "value"}',  --props @file.json  or  --props -  for the standard input.`,
    ],
    [
      ["nomodel.tsx", "--props", "@gone.json"],
      "june: the props file gone.json cannot be read: there is no such file or folder",
    ],
    [
      ["nomodel.tsx", "--timeout", "90"],
      'june: --timeout "90" is no duration. Write a number and its unit:  500ms, 90s, 5m or 2h, up to 24 days.',
    ],
    [
      ["nomodel.tsx", "--timeout", "900h"],
      'june: --timeout "900h" is no duration. Write a number and its unit:  500ms, 90s, 5m or 2h, up to 24 days.',
    ],
    [["nomodel.tsx", "--trace-out", "no/t.json"], "june: --trace-out no/t.json: there is no such file or folder"],
    [
      ["nomodel.tsx", "--model", "gpt-5"],
      'june: --model "gpt-5" names no model. Write  provider:id, such as openai:gpt-5-mini, or echo.',
    ],
    [
      ["nomodel.tsx", "--aprove", "all"],
      `june: ${misspelt("--aprove")}\n(Did you mean --approve?)\nSee  june run --help`,
    ],
    [["nomodel.tsx", "--zzz"], `june: ${misspelt("--zzz")}\nSee  june run --help`],
    [
      ["nomodel.tsx", "--approve", "al"],
      "june: option '--approve <how>' argument 'al' is invalid. Allowed choices are ask, all, deny.\nSee  june run --help",
    ],
    [["nomodel.tsx", "--model"], "june: option '--model <provider:id|echo>' argument missing\nSee  june run --help"],
    [[], "june: missing required argument 'FILE'\nSee  june run --help"],
    [
      ["nomodel.tsx", "more"],
      "june: too many arguments for 'run'. Expected 1 argument but got 2.\nSee  june run --help",
    ],
  ])("R1, R3 run %j", async (words, error) => {
    expect(await run(words)).toEqual({ code: 2, stdout: "", error });
  });

  it.concurrent.each([
    ["syntax.tsx", 'june: syntax error in syntax.tsx:4:1: The character "}" is not valid inside a JSX element'],
    ["syntax.ts", 'june: syntax error in syntax.ts:1:10: Unexpected "="'],
    ["syntax.mjs", "june: syntax error in syntax.mjs:3:1: Expected identifier but found end of file"],
    ["imported.ts", 'june: syntax error in syntax.ts:1:10: Unexpected "="'],
    ["file.ts", "june: file.ts imports gone.js, which is not there."],
    [
      "package.ts",
      'june: package.ts imports "@left/padding/sub", which is not installed.\nInstall it with  npm install @left/padding',
    ],
    ["name.ts", 'june: name.ts imports "nope" from "./nothing.js", which has no such export.'],
    ["throws.ts", "june: throws.ts could not be loaded: top level\n  at throws.ts:2"],
    ["global.ts", needsBun("global.ts", "the global Bun")],
    ["global-load.ts", needsBun("global-load.ts", "the global Bun")],
    ["protocol.ts", needsBun("protocol.ts", "a module of Bun")],
  ])("R1, R3 a file that cannot be loaded on Node: %s", async (file, error) => {
    expect(await run([file])).toEqual({ code: 2, stdout: "", error });
  });

  it.concurrent.each([
    ["syntax.tsx", 'june: syntax error in syntax.tsx:4:1: The character "}" is not valid inside a JSX element'],
    ["syntax.ts", "june: syntax error in syntax.ts:1:10: Unexpected ="],
    ["syntax.mjs", "june: syntax error in syntax.mjs:2:26: Expected identifier but found end of file"],
    ["file.ts", "june: file.ts imports gone.js, which is not there."],
    [
      "package.ts",
      'june: package.ts imports "@left/padding/sub", which is not installed.\nInstall it with  npm install @left/padding',
    ],
    ["name.ts", 'june: name.ts imports "nope" from "nothing.ts", which has no such export.'],
    ["throws.ts", "june: throws.ts could not be loaded: top level\n  at throws.ts:2"],
  ])("R1, R3 a file that cannot be loaded on Bun: %s", async (file, error) => {
    expect(await run([file], "bun")).toEqual({ code: 2, stdout: "", error });
  });

  it.concurrent("R1 runs on Bun what needs Bun", async () => {
    const { code, stdout } = await inProject(files, (cwd) => june(["run", "global.ts"], { cwd, runtime: "bun" }));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "x\n" });
  });
});

it.concurrent("R1 bunx june starts the command in Bun, although its first line names Node", async () => {
  // What bunx tells a command it starts in Node.
  const bun = runtimes.bun[0];
  const env = { npm_lifecycle_event: "bunx", npm_lifecycle_script: "june", npm_execpath: bun };
  await inProject(
    { ...files, ".env": "LEAK=1\n", "env.ts": "export default () => String(process.env.LEAK);\n" },
    async (cwd) => {
      expect(await june(["run", "global.ts"], { cwd, env })).toMatchObject({ code: 0, stdout: "x\n" });
      expect(await june(["run", "env.ts"], { cwd, env })).toMatchObject({ code: 0, stdout: "undefined\n" });
      expect(await june(["run", "number.ts"], { cwd, env })).toMatchObject({ code: 2, stdout: "" });
      const other = { ...env, npm_lifecycle_event: "start" };
      expect(await june(["run", "global.ts"], { cwd, env: other })).toMatchObject({ code: 2 });
    },
  );
});

describe("R3", () => {
  it.concurrent("R3 an agent without a model is a declaration error", async () => {
    expect(await run(["nomodel.tsx"])).toEqual({
      code: 2,
      stdout: "",
      error:
        "june: <Agent> (nomodel.tsx:3) has no model\nSet <Agent model={…}>, or give a default with run(element, { model }) or june run --model provider:id.",
    });
  });

  it.concurrent("R3 a tag with a prop it does not know is a declaration error", async () => {
    const { code, error } = await run(["props.tsx", "--model", "echo"]);
    expect(code).toBe(2);
    expect(error).toMatch(/^june: <Step id="a"> \(props\.tsx:2\) .*"promt"/);
  });

  it.concurrent("R3 stacks show with --verbose only", async () => {
    const { error } = await run(["throws.ts"]);
    expect(error).not.toMatch(/^ +at .*boom/m);
    expect((await run(["throws.ts", "--verbose"])).error).toMatch(/^ +at boom \(.*throws\.ts:2:9\)$/m);
  });
});
