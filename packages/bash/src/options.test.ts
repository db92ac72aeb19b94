import { resolve } from "node:path";
import { DeclarationError } from "@june/core";
import { expect, it } from "vitest";
import { bashTool } from "./bash-tool.js";
import { checkOptions, type BashOptions } from "./options.js";

it("P20 P21 P22 completes what is left out", () => {
  expect(checkOptions({})).toEqual({
    cwd: process.cwd(),
    env: {},
    timeoutMs: 120_000,
    maxOutputBytes: 32_768,
    needsApproval: true,
    sandbox: undefined,
    network: false,
  });
  expect(checkOptions({ cwd: "packages", sandbox: undefined }).cwd).toBe(resolve("packages"));
});

it.each([
  [null, "the options are null\nGive an object, or nothing."],
  [
    { directory: "/tmp" },
    'there is no option "directory"\nKnown are cwd, env, timeoutMs, maxOutputBytes, needsApproval, sandbox, network.',
  ],
  [
    { children: [] },
    'there is no option "children"\nKnown are cwd, env, timeoutMs, maxOutputBytes, needsApproval, sandbox, network.',
  ],
  [{ cwd: 5 }, "cwd is 5\nGive the path of a folder."],
  [{ cwd: "" }, 'cwd is ""\nGive the path of a folder.'],
  [{ timeoutMs: 0 }, "timeoutMs is 0\nGive a whole number of milliseconds from 1 to 2147483647."],
  [{ timeoutMs: Infinity }, "timeoutMs is Infinity\nGive a whole number of milliseconds from 1 to 2147483647."],
  [{ maxOutputBytes: "1k" }, 'maxOutputBytes is "1k"\nGive a whole number of bytes from 1 to 67108864.'],
  [{ needsApproval: "no" }, 'needsApproval is "no"\nGive true, false or a function of the input.'],
  [{ needsApproval: null }, "needsApproval is null\nGive true, false or a function of the input."],
  [{ sandbox: "docker" }, 'sandbox is "docker"\nGive "bubblewrap", or leave it out to run without a sandbox.'],
  [{ sandbox: false }, 'sandbox is false\nGive "bubblewrap", or leave it out to run without a sandbox.'],
  [{ network: 1 }, "network is 1\nGive true or false."],
  [{ network: true }, 'network is set without a sandbox\nIt has a meaning only with sandbox="bubblewrap".'],
  [{ env: ["A=s3cr3t"] }, "env is an array\nGive an object of texts by name."],
  [{ env: { "A=s": "s3cr3t" } }, 'env has the name "A=s"\nGive a name without = and NUL.'],
  [{ env: { TOKEN: { value: "s3cr3t" } } }, 'env["TOKEN"] is of type object\nGive text, or leave the name out.'],
  [{ env: { TOKEN: undefined } }, 'env["TOKEN"] is of type undefined\nGive text, or leave the name out.'],
  [{ env: { TOKEN: "s3cr3t\0" } }, 'env["TOKEN"] holds a NUL character\nGive text without it.'],
])("P20 P21 P22 refuses %j when the tool is made, and names the cure", (options, message) => {
  const make = (): unknown => bashTool(options as BashOptions);
  expect(make).toThrow(DeclarationError);
  expect(make).toThrow(expect.objectContaining({ code: "invalid-option", message: `june: bashTool(): ${message}` }));
});
