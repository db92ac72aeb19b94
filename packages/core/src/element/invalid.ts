/** What to say about a value that has no place among nodes: another copy of core, another JSX runtime, or a plain mistake. */

import { duplicateCore, invalidNode } from "../errors/declaration-errors.js";
import type { DeclarationError } from "../errors/june-error.js";
import { coreMajor, elementMajor, type JuneElement } from "./element.js";
import { tagInfo } from "./kind.js";
import { describeNode, labelOf } from "./label.js";

/** The error for a value where a node is expected. `path` is the component path, `source` the nearest place known. */
export function invalidNodeError(value: unknown, path: string, source: string | undefined): DeclarationError {
  const major = elementMajor(value);
  if (major !== undefined) return duplicateCore("an element", major, coreMajor);
  if (typeof value === "object" && value !== null && "$$typeof" in value) {
    return invalidNode(
      "an element of another JSX runtime (React's)",
      path,
      source,
      'Compile the file with June\'s runtime: "jsxImportSource": "june" in tsconfig.json, or /** @jsxImportSource june */ at the top of the file.',
    );
  }
  return invalidNode(describeNode(value), path, source);
}

/** The error for an element whose type is neither a tag of June nor a component, or undefined when it is one. */
export function invalidTypeError(element: JuneElement, path: string): DeclarationError | undefined {
  const { type, source } = element;
  const major = tagInfo(type)?.major;
  if (major !== undefined) return major === coreMajor ? undefined : duplicateCore(labelOf(element), major, coreMajor);
  if (typeof type === "string")
    return invalidNode(
      `the lower-case tag <${type}>`,
      path,
      source,
      "June has no built-in tags: import a component, and write its name with a capital letter.",
    );
  if (typeof type !== "function")
    return invalidNode(
      `a tag that is ${describeNode(type)}`,
      path,
      source,
      "Check the import: a component is a function.",
    );
  // A class's prototype property is read-only, a function's is not.
  if (Object.getOwnPropertyDescriptor(type, "prototype")?.writable === false)
    return invalidNode(`the class ${type.name}`, path, source, "A component is a function of its props.");
  return undefined;
}
