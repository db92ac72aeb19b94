/** What the command is given by whoever starts it: the streams, the version, and the providers that come along. */

import type { ProviderModules } from "./model/load-model.js";
import type { OutputStream } from "./output/streams.js";
import type { InputStream } from "./run/terminal.js";

/** The surroundings of the command. */
export interface CommandHost {
  /** What `june --version` prints. */
  readonly version: string;
  /** Imports the package of a provider, by the name `--model` gives it. */
  readonly providers: ProviderModules;
  readonly stdin: InputStream & AsyncIterable<string | Uint8Array>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Ends the process at once, on a second Ctrl-C. */
  readonly exit: (code: number) => never;
}
