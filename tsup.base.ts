/** How every package is built: its tsup.config.ts names the entries and takes the rest from here. */

import { defineConfig } from "tsup";

export function definePackage(entry: string[], options: { external?: RegExp[] } = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: ["esm"],
    dts: true,
    clean: true,
    sourcemap: true,
    target: "node22",
    tsconfig: "tsconfig.build.json",
    removeNodeProtocol: false, // a Worker knows `node:async_hooks` by this name only
    ...options,
  });
}
