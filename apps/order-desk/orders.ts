/** The order book: a JSON file that the desk reads, and two callable tools over it. */

import { readFile } from "node:fs/promises";
import { defineTool } from "june";
import { z } from "zod";

const order = z.object({
  id: z.string(),
  item: z.string(),
  state: z.enum(["paid", "shipped", "delivered"]),
  parcel: z.string().optional(),
});
const book = z.object({
  orders: z.array(order),
  parcels: z.record(z.string(), z.array(z.object({ at: z.string(), place: z.string() }))),
});

async function readBook(): Promise<z.output<typeof book>> {
  return book.parse(JSON.parse(await readFile(new URL("orders.json", import.meta.url), "utf8")));
}

/** One order by its number, or null. Code calls it: whether there is an order is not for a model to decide. */
export const lookUpOrder = defineTool({
  name: "lookUpOrder",
  description: "Look one order up by its number",
  input: z.object({ id: z.string() }),
  output: order.nullable(),
  idempotent: true,
  execute: async ({ id }) => (await readBook()).orders.find((candidate) => candidate.id === id) ?? null,
});

/** Where a parcel has been. A model calls it when the customer's question needs it. */
export const trackParcel = defineTool({
  name: "trackParcel",
  description: "List where a parcel has been, latest first, by its parcel number",
  input: z.object({ parcel: z.string() }),
  idempotent: true,
  execute: async ({ parcel }) => {
    const stops = (await readBook()).parcels[parcel];
    if (stops === undefined) throw new Error(`there is no parcel ${parcel}`);
    return stops;
  },
});
