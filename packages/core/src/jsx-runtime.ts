/** The automatic JSX runtime, as compilers import it. */

export { jsx, jsx as jsxs } from "./element/create-element.js";
export { Fragment } from "./element/fragment.js";
export type { JSX } from "./jsx-types.js";
