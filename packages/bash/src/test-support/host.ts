/** A host of its own for tests of how a host's end is followed by that of its commands: runs one command and ends as it is told. */

import { once } from "node:events";
import { bashTool } from "../bash-tool.js";
import { sleepersOf, until } from "./processes.js";

const [seconds = "", ending, sandbox] = process.argv.slice(2);
const tool = bashTool(sandbox === "bubblewrap" ? { sandbox } : {});
void tool.execute?.(
  { command: `setsid sleep ${seconds} & sleep ${seconds}` },
  { toolCallId: "call-1", messages: [], context: {} },
);
await until(() => sleepersOf(seconds).length === 2);
process.stdout.write("ready\n");
await once(process.stdin.resume(), "end");
if (ending === "exit") process.exit(0);
if (ending === "throw") throw new Error("the host fails");
