/** The environment of a command: a short list of the host's variables, a terminal that shows nothing, and what the author gave. */

/** What a command needs to find programs, its user and its language. Everything else of the host stays with the host. */
const passedOn = new Set(["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"]);

/** A new record; of equal names the author's wins. */
export function commandEnvironment(
  host: NodeJS.ProcessEnv,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const allowed = Object.entries(host).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passedOn.has(entry[0]) || entry[0].startsWith("LC_")),
  );
  // Without a language programs take ASCII for granted and write "?" or escapes for everything else.
  return { LANG: "C.UTF-8", ...Object.fromEntries(allowed), TERM: "dumb", NO_COLOR: "1", ...own };
}
