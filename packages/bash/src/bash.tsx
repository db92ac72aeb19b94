/** `<Bash>`: the toolset that gives an agent the tool `bash`. Folded by the agent that declares it. */

import { defineToolset, type JuneElement } from "@june/core";
import { bashTool } from "./bash-tool.js";
import type { BashOptions } from "./options.js";

/** Declares `bash`. Its source reads `<Bash>`: no option is shown anywhere, as `env` may hold secrets. */
export const Bash: (props: BashOptions) => JuneElement<BashOptions> = defineToolset({
  name: "Bash",
  tools: (props: BashOptions) => ({ bash: bashTool(props) }),
});
