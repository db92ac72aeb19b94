/** What a workflow prints with `console.log` is not the answer: it goes where everything else goes. */

import { Console } from "node:console";

const methods = ["log", "info", "debug", "dir", "table", "group", "groupEnd", "count", "timeEnd", "timeLog"] as const;

/** Sends the console to the standard error. @returns puts it back */
export function divertConsole(): () => void {
  const target = new Console(process.stderr, process.stderr) as typeof console;
  const before = Object.fromEntries(methods.map((name) => [name, console[name]]));
  for (const name of methods) console[name] = target[name].bind(target) as never;
  return () => void Object.assign(console, before);
}
