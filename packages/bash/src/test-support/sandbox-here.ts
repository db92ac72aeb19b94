/** Whether the sandbox can be had on this machine. Where it cannot, its tests are left out and say why; on CI they fail. */

import { requireBubblewrap } from "../sandbox.js";

/** The reason why not, or undefined. */
export const whyNoSandbox = tryBubblewrap();

function tryBubblewrap(): string | undefined {
  try {
    requireBubblewrap({ cwd: "/tmp", network: false });
    return undefined;
  } catch (error) {
    if (process.env["CI"] !== undefined) throw error;
    const reason = (error as Error).message.split("\n")[0];
    process.stderr.write(`\n*** NOT TESTED: the sandbox of @june/bash. ${reason}\n`);
    return reason;
  }
}
