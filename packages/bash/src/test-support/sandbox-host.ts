/** Prints what `bashTool` says when a sandbox is asked for where this process runs. */

import { bashTool } from "../bash-tool.js";

try {
  bashTool({ sandbox: "bubblewrap", cwd: "/tmp" });
  process.stdout.write("there is a sandbox");
} catch (error) {
  process.stdout.write((error as Error).message);
}
