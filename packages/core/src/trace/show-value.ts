/** Numbers and JSON of a trace as people read them, in any locale the same. */

/** `1,204` */
export function showCount(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `340 ms`, `1.2 s`, `2 min 5 s`, `1 h 3 min` */
export function showDuration(durationMs: number): string {
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 59_950) return `${(durationMs / 1_000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${showCount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** The beginning of a value as JSON; text as it is. */
export function showJson(value: unknown, maxCharacters: number): string {
  const text = typeof value === "string" ? value : toJson(value);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "[nested too deeply to show]";
  }
}
