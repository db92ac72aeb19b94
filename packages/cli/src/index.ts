/** The public names of @june/cli. */

export { main } from "./main.js";
export { restartOnBun } from "./restart-on-bun.js";
export type { CommandHost } from "./host.js";
export type { ExitCode } from "./errors/exit-code.js";
