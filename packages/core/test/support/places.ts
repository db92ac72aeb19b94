/** Places in messages: `file:line` of a test file, which moves whenever the test above grows. */

const place = /(?:[\w.-]+\/)+[\w.-]+\.test\.tsx?:\d+/g;

/** `text` with every place of a test file replaced by `HERE`. */
export function withoutPlaces(text: string): string {
  return text.replaceAll(place, "HERE");
}
