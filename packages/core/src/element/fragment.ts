/** `<>…</>`: a group that changes nothing. Lives with the elements because the JSX runtimes export it. */

import { createElementRecord, type JuneElement, type JuneNode } from "./element.js";
import { markTag } from "./kind.js";

/** Groups nodes without meaning anything itself. */
export const Fragment: (props: { children?: JuneNode }) => JuneElement = /* @__PURE__ */ markTag(
  (props: { children?: JuneNode }) => createElementRecord(Fragment, { ...props }, null, undefined),
  "fragment",
  "Fragment",
);
