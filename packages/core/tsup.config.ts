import { definePackage } from "../../tsup.base.js";

export default definePackage(
  ["src/index.ts", "src/jsx-runtime.ts", "src/jsx-dev-runtime.ts", "src/trace.ts", "src/testing.ts"],
  { external: [/^@june\/core($|\/)/] }, // JSX in its own sources names the package itself
);
