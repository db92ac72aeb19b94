/**
 * An order desk: code looks the order up, then a model answers the customer, with one tool of its own.
 * `june run apps/order-desk/workflow.tsx --prop order=A-17 --prop question="Where is my tea?"`
 */

import { Agent, Tool, type JuneElement } from "june";
import { chooseModel } from "./choose-model.js";
import { lookUpOrder, trackParcel } from "./orders.js";

interface Question {
  order?: string;
  question?: string;
}

export default async function OrderDesk({
  order: id = "A-17",
  question = "Where is my order?",
}: Question): Promise<JuneElement | string> {
  const order = await lookUpOrder({ id });
  if (order === null) return `There is no order ${id}.`;
  return (
    <Agent name="desk" model={await chooseModel()} instructions="You answer customers briefly, from what you know.">
      {order.parcel !== undefined && <Tool use={trackParcel} />}
      {`A customer asks about the order ${JSON.stringify(order)}: ${question}`}
    </Agent>
  );
}
