/** `<RequireApproval>`: every tool inside waits for a person. */

import { createElementRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { anything, nonEmptyText, type PropRules } from "./check-props.js";

/**
 * Makes every tool inside wait for approval; nothing inside can take that away.
 * @see docs/guide/wrappers.md
 */
export const RequireApproval: (props: { reason?: string; children?: JuneNode }) => JuneElement =
  /* @__PURE__ */ markTag(
    (props: object) => createElementRecord(RequireApproval, { ...props }, null, undefined),
    "require-approval",
    "RequireApproval",
  );

/** The rules of the props of `<RequireApproval>`. */
export const requireApprovalRules: PropRules = { reason: nonEmptyText, children: anything };
