/** What stands under the line of a node in a printed trace: its tools, what was asked and said, notes, and errors with what caused them. */

import type { Piece, Style } from "./styled-line.js";
import { showJson } from "./show-value.js";
import type { TraceError, TraceNode } from "./trace.js";

/** A text under a node, in lines that are not yet escaped. */
export interface Detail extends Pick<Piece, "style"> {
  /** What kind of text it is. */
  readonly head: string;
  readonly text: readonly string[];
}

/** What the tree knows about a node besides the node. */
export interface Surroundings {
  readonly childRun: TraceNode | undefined;
  /** The fingerprints of the errors inside, which are told there. */
  readonly toldBelow: ReadonlySet<string>;
  readonly capabilities: boolean;
}

const maxCharacters = 2_000;
const maxLines = 12;
const maxErrors = 16;
const maxNotes = 20;

/** The details of a node, in the order in which they are printed. */
export function detailsOf(node: TraceNode, around: Surroundings): Detail[] {
  const { answered } = node;
  const notes = [...(node.notes ?? []), ...(around.childRun?.notes ?? [])];
  return [
    ...(around.capabilities ? toolDetails(node) : []),
    ...textDetail("asked ", node.kind === "request" ? node.reason : undefined),
    ...textDetail("reason ", answered?.reason),
    ...textDetail("input ", answered?.input === undefined ? undefined : showJson(answered.input, maxCharacters)),
    ...textDetail("value ", answered?.value === undefined ? undefined : showJson(answered.value, maxCharacters)),
    ...notes.slice(0, maxNotes).flatMap(({ code, text }) => textDetail("note ", `${code.slice(0, 80)}: ${text}`)),
    ...(notes.length > maxNotes ? textDetail("note ", `… and ${notes.length - maxNotes} more`) : []),
    ...(node.error === undefined ? [] : errorDetails(node.error, node.status, around.toldBelow)),
  ];
}

/** By what two errors are the same one, told at two nodes. */
export function fingerprintOf({ name, message }: TraceError): string {
  return `${name}\n${message}`;
}

function toolDetails({ capabilities = [], waits = [] }: TraceNode): Detail[] {
  const because = new Map(waits.map((wait) => [wait.name, wait.because]));
  return capabilities.flatMap(({ name, source, composite, granted }) =>
    textDetail(
      "can ",
      [
        `${name.slice(0, 100)}  ${source}`,
        granted === undefined ? "" : ` from ${granted}`,
        composite === true ? ", composite" : "",
        because.has(name) ? `, waits because of ${because.get(name)}` : "",
      ].join(""),
    ),
  );
}

/** An error with everything underneath it; shorter where a node inside tells it. */
function errorDetails(error: TraceError, status: TraceNode["status"], toldBelow: ReadonlySet<string>): Detail[] {
  if (toldBelow.has(fingerprintOf(error))) return [];
  const all = flatten(error);
  const isBrief = status === "aborted" || all.some((part) => toldBelow.has(fingerprintOf(part.error)));
  const shown = all.slice(0, isBrief ? 1 : maxErrors).map(({ head, error: part, around }): Detail => {
    const title = `${part.name.slice(0, 100)}${part.code === undefined ? "" : ` [${part.code.slice(0, 100)}]`}`;
    const message = part.message.startsWith("june: ") ? part.message.slice("june: ".length) : part.message;
    const isSaid = message.length > 80 && around?.message.includes(message) === true;
    const style: Style = around === undefined && status === "error" ? "red" : "plain";
    return { head, style, text: isSaid ? [`${title} (said above)`] : boundLines(`${title}: ${message}`) };
  });
  const hidden = isBrief ? 0 : all.length - shown.length;
  return hidden === 0 ? shown : [...shown, { head: "… ", style: "plain", text: [`and ${hidden} more errors`] }];
}

interface FlatError {
  readonly head: string;
  readonly error: TraceError;
  readonly around: TraceError | undefined;
}

/** An error and all underneath it, each cause after what it caused. A loop: causes may nest deeply. */
function flatten(error: TraceError): FlatError[] {
  const flat: FlatError[] = [];
  const stack: FlatError[] = [{ head: "✗ ", error, around: undefined }];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    flat.push(part);
    const { cause, errors = [] } = part.error;
    for (const inner of errors.toReversed()) stack.push({ head: "one of ", error: inner, around: part.error });
    if (cause !== undefined) stack.push({ head: "caused by ", error: cause, around: part.error });
  }
  return flat;
}

function textDetail(head: string, text: string | undefined): Detail[] {
  return text === undefined ? [] : [{ head, style: "plain", text: boundLines(text) }];
}

function boundLines(text: string): string[] {
  const lines = text.slice(0, maxCharacters).split(/\r?\n/);
  const isCut = text.length > maxCharacters || lines.length > maxLines;
  return isCut ? [...lines.slice(0, maxLines), `… (${text.length} characters)`] : lines;
}
