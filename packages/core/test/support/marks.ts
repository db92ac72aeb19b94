/** Where tags of a test file stand, so that whole messages can be compared although lines move. */

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

// `here("web")` is the `file:line`, as June prints it, of the only line of the file that has the comment /* web */.
export function marksIn(url: string): (mark: string) => string {
  const file = fileURLToPath(url);
  const lines = readFileSync(file, "utf8").split("\n");
  return (mark) => {
    const comment = `/* ${mark} */`;
    const found = lines.flatMap((line, index) => (line.includes(comment) ? [index + 1] : []));
    if (found.length !== 1) throw new Error(`${comment} stands on ${found.length} lines of ${file}`);
    return `${relative(process.cwd(), file)}:${found[0]}`;
  };
}
