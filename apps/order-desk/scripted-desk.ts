/** A stand-in for the desk's model where no key is set: it reacts to what the tools really give, and knows nothing else. */

import { scriptedModel, type ScriptedModel } from "june/testing";

export function scriptedDesk(): ScriptedModel {
  console.error("No OPENAI_API_KEY or ANTHROPIC_API_KEY: a scripted model answers in place of a real one.");
  return scriptedModel(({ prompt, tools }) => {
    const parcel = /"parcel":"([^"]+)"/.exec(JSON.stringify(prompt).replaceAll('\\"', '"'))?.[1];
    const last = prompt.at(-1);
    if (last?.role === "tool") {
      const [{ output }] = last.content as unknown as [{ output: { value: [{ at: string; place: string }] } }];
      const [{ at, place }] = output.value;
      return `Your parcel was last seen at ${place}, on ${at.slice(0, 10)}.`;
    }
    if (parcel !== undefined && tools.includes("trackParcel"))
      return { calls: [{ name: "trackParcel", input: { parcel } }] };
    return "Your order is paid and leaves us with the next collection.";
  });
}
