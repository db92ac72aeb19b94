/** Puts an error message together: what is wrong, the declarations involved with their places, what exists, one cure. */

/** A declaration as an error shows it: how it reads in the source, and its `file:line` where that is known. */
export interface Involved {
  readonly label: string;
  readonly source?: string | undefined;
}

/** ` (file:line)`, or nothing where the place is unknown. */
export function at(source: string | undefined): string {
  return source === undefined ? "" : ` (${source})`;
}

/** Lines of a message; `involved` become one indented line each with the places in one column. */
export function composeMessage(
  headline: string,
  involved: readonly Involved[],
  ...rest: readonly (string | undefined)[]
): string {
  const width = Math.max(0, ...involved.map(({ label }) => label.length));
  const lines = involved.map(({ label, source }) =>
    source === undefined ? `  ${label}` : `  ${label.padEnd(width + 6)}${source}`,
  );
  return [`june: ${headline}`, ...lines, ...rest.filter((line) => line !== undefined && line !== "")].join("\n");
}

/** `"a", "b" and 3 more`; quoted, in the order given, bounded. */
export function listNames(names: readonly string[], maxNames = 40): string {
  const shown = names
    .slice(0, maxNames)
    .map((name) => JSON.stringify(name))
    .join(", ");
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}

/** The candidates of `names` closest in spelling to `wanted`, nearest first; empty when none is near. */
export function closestNames(wanted: string, names: readonly string[]): string[] {
  const bound = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= bound)
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** ` Did you mean "x"?`, or nothing when no name is near. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const [closest] = closestNames(wanted, names);
  return closest === undefined ? "" : ` Did you mean ${JSON.stringify(closest)}?`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}

/** What a prop or option was, for a message: its kind, and never what a text or object holds, which may be a secret. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "string") return value.trim() === "" ? "empty text" : "text";
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "then" in value ? "a promise" : "an object";
  return `a ${typeof value}`;
}
