/** The inputs and answers that errors of the SDK quote in their messages, so that a trace that keeps only the shape can leave them out. */

/** A piece of a message, and what stands there instead. */
export interface Quote {
  readonly from: string;
  readonly to: string;
}

/** The quotes in the messages of an error and of everything underneath it, the longest first. Looks at `maxErrors` errors. */
export function quotesOf(error: unknown, maxErrors: number): readonly Quote[] {
  const quotes: Quote[] = [];
  const stack = [error];
  for (let seen = 0; stack.length > 0 && seen < maxErrors; seen++) {
    const part = stack.pop();
    if (!(part instanceof Error)) continue;
    const { name, value, text, cause } = part as Error & { value?: unknown; text?: unknown };
    if (name === "AI_TypeValidationError") quotes.push({ from: `Value: ${toText(value)}`, to: "Value: (not kept)" });
    if (name === "AI_JSONParseError") {
      const whole = `Text: ${String(text)}`;
      // Messages that list several failures give the first line of each.
      for (const from of [whole, whole.split("\n", 1)[0]!]) quotes.push({ from, to: "Text: (not kept)" });
      // What the parser says shows the text around the fault.
      if (cause instanceof Error && cause.message !== "") quotes.push({ from: cause.message, to: "not JSON" });
    }
    stack.push(cause);
    if (part instanceof AggregateError) stack.push(...(part.errors as unknown[]).slice(0, maxErrors));
  }
  return quotes.toSorted((a, b) => b.from.length - a.from.length);
}

function toText(value: unknown): string {
  try {
    return String(JSON.stringify(value));
  } catch {
    return "";
  }
}
