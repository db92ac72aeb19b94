/** A model that needs no key: it answers with the last thing the user said, and calls no tool. */

import { scriptedModel, type ScriptedModel } from "./scripted-model.js";

/** Makes a model that gives back the text of the last user message. */
export function echoModel(): ScriptedModel {
  return scriptedModel(
    ({ prompt }) => {
      const last = prompt.findLast(({ role }) => role === "user");
      const text =
        last === undefined || typeof last.content === "string"
          ? ""
          : last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      return text.trim() === "" ? "(nothing was said)" : text;
    },
    { modelId: "echo" },
  );
}
