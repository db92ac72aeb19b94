/** Tests run from source: the condition `@june/source` makes every package's exports point at its `src`, so nothing needs a build. */

import { defineConfig } from "vitest/config";

const sourceCondition = "@june/source";

export default defineConfig({
  resolve: { conditions: [sourceCondition] },
  ssr: { resolve: { conditions: [sourceCondition, "module", "node", "development|production"] } },
  test: {
    testTimeout: 20_000, // some tests start real processes, and CI has two cores
    include: [
      "packages/*/src/**/*.test.{ts,tsx}",
      "packages/*/test/**/*.test.{ts,tsx}",
      "apps/*/**/*.test.{ts,tsx}",
      "test/**/*.test.{ts,tsx}",
    ],
    exclude: ["**/node_modules/**", "**/dist/**"],
  },
});
