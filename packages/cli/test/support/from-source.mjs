/** Lets Node run the packages of this repository from source: `./x.js` in a TypeScript file is `./x.ts`. Node itself strips the types. */

import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    const isSource = specifier.startsWith(".") && specifier.endsWith(".js") && context.parentURL?.endsWith(".ts");
    return next(isSource ? specifier.replace(/js$/, "ts") : specifier, context);
  },
});
