/** What compilers import when `jsxImportSource` is `june`: core's own runtime, so that elements of both are the same. */

export { Fragment, jsx, jsxs, type JSX } from "@june/core/jsx-runtime";
