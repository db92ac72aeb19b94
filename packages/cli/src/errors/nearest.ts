/** The nearest spelling of a name, for messages. */

/** ` Did you mean "x"?`, or nothing when no name is near. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const bound = Math.max(2, Math.floor(wanted.length / 3));
  const [closest] = names
    .map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= bound)
    .toSorted((a, b) => a.distance - b.distance);
  return closest === undefined ? "" : ` Did you mean ${JSON.stringify(closest.name)}?`;
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
