/** The public names of @june/bash. */

export { Bash } from "./bash.js";
export { bashTool, type BashInput, type BashTool } from "./bash-tool.js";
export type { BashOptions } from "./options.js";
export type { BashResult } from "./run-command.js";
