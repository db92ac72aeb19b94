/** The public names of june/tools: ordinary AI SDK tools of the capability packages, for `<Tool value>` or any other loop. */

export { bashTool, type BashInput, type BashOptions, type BashResult, type BashTool } from "@june/bash";
