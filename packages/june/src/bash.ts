/** The public names of june/bash: those of @june/bash. */

export { Bash, bashTool, type BashInput, type BashOptions, type BashResult, type BashTool } from "@june/bash";
