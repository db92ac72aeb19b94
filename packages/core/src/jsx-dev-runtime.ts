/** The automatic JSX runtime of development builds: elements know their place. */

export { jsxDEV } from "./element/create-element.js";
export { Fragment } from "./element/fragment.js";
export type { JSX } from "./jsx-types.js";
