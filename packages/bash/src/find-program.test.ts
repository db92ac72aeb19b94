import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findProgram } from "./find-program.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "june-bash-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("P21 finds the first executable file on the path, not a folder, a plain file or one in a relative folder", () => {
  const name = "june-test-program";
  for (const place of ["a", "b", "c", "d"]) mkdirSync(join(folder, place));
  mkdirSync(join(folder, "a", name));
  writeFileSync(join(folder, "b", name), "");
  writeFileSync(join(folder, "c", name), "");
  chmodSync(join(folder, "c", name), 0o755);
  const path = ["a", "b", "c", "d"].map((place) => join(folder, place)).join(":");
  expect(findProgram(name, `.::${path}`)).toBe(join(folder, "c", name));
  expect(findProgram(name, "")).toBeUndefined();
  expect(findProgram("sh", "")).toMatch(/^\/(?:usr\/)?bin\/sh$/);
});
