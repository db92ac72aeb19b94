/** What compilers import in development when `jsxImportSource` is `june`: core's own runtime. */

export { Fragment, jsxDEV, type JSX } from "@june/core/jsx-dev-runtime";
