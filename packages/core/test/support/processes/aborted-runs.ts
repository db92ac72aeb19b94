/** Aborts a run in every place there is and then does nothing more, so that whatever June left would keep the process alive or be listed. */

import { run } from "@june/core";
import { abortScenarios } from "../abort-scenarios.js";

process.on("unhandledRejection", (reason) => {
  process.stderr.write(`unhandled rejection: ${String(reason)}\n`);
});
let runs = 0;
for (const { build, onlyStream = false } of abortScenarios)
  for (const stream of onlyStream ? [true] : [false, true]) {
    const { tree, isWaiting } = build();
    const handle = run(tree, { stream, limits: { cleanupMs: 25 } });
    void handle.requests;
    await isWaiting;
    handle.abort("stop");
    const reason: unknown = await handle.then(
      () => "resolved",
      (error: unknown) => error,
    );
    if (reason !== "stop") process.stderr.write(`rejected with ${String(reason)}\n`);
    runs++;
  }
process.stdout.write(JSON.stringify({ runs, active: process.getActiveResourcesInfo() }));
