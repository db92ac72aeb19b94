/**
 * Holds docs/rules/ and the tests together: every rule there (a list item or heading that opens with its number in bold) has a test
 * whose name opens with that number, and every such number is a rule. `pnpm check:rules` runs it, and so does `npm test`.
 */

import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import ts from "typescript";

const testFiles = ["packages/*/{src,test}/**/*.test.{ts,tsx}", "apps/*/**/*.test.{ts,tsx}", "test/**/*.test.{ts,tsx}"];

const ruleItem = /^(?:[-*]|#+)\s+\*\*([A-Z]\d+)\*\*/;
const openingNumbers = /^[A-Z]\d+\b(?:(?: |, ?| and |\/)[A-Z]\d+\b)*/;
const notRunning = new Set(["skip", "todo", "fails"]);
const anyNumber = /\b[A-Z]\d+\b/g;

/** @returns {{ number: string, place: string }[]} the rules of one page, in its order */
export function readRules(text, file) {
  return text.split("\n").flatMap((line, index) => {
    const number = ruleItem.exec(line)?.[1];
    return number === undefined ? [] : [{ number, place: `${file}:${index + 1}` }];
  });
}

/** @returns {{ name: string, place: string }[]} the names of the tests that run: a skipped or planned test proves nothing */
export function readTestNames(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const tests = [];
  const visit = (node) => {
    const name = ts.isCallExpression(node) ? readText(node.arguments[0]) : undefined;
    if (name !== undefined && isRunningTest(node.expression)) {
      const { line } = source.getLineAndCharacterOfPosition(node.arguments[0].getStart(source));
      tests.push({ name, place: `${file}:${line + 1}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return tests;
}

/** `it`, `it.concurrent`, `it.each([…])`, `test.prop([…])`: the callee down to its first name. */
function isRunningTest(callee) {
  if (ts.isIdentifier(callee)) return callee.text === "it" || callee.text === "test";
  if (ts.isPropertyAccessExpression(callee))
    return !notRunning.has(callee.name.text) && isRunningTest(callee.expression);
  if (ts.isCallExpression(callee)) return isRunningTest(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && isRunningTest(callee.tag);
}

/** The text of a string, of a template up to its first value, and of strings joined with `+` up to the first value. */
function readText(node) {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.head.text;
  return ts.isBinaryExpression(node) ? readText(node.left) : undefined;
}

/** @returns {string[]} one line for each disagreement */
export function compareRules(rules, tests) {
  const problems = [];
  const places = new Map();
  for (const { number, place } of rules) {
    if (places.has(number)) problems.push(`${place}: rule ${number} is listed twice, first at ${places.get(number)}`);
    else places.set(number, place);
  }
  const named = new Set(tests.flatMap(({ name }) => readOpeningNumbers(name)));
  for (const [number, place] of places) {
    if (!named.has(number)) problems.push(`${place}: rule ${number} has no test; name one  it("${number} …")`);
  }
  for (const { name, place } of tests) {
    for (const number of readOpeningNumbers(name)) {
      if (!places.has(number))
        problems.push(`${place}: the test "${name}" names rule ${number}, which no page of docs/rules lists`);
    }
  }
  return problems;
}

/** `L20, L21 …` → L20 and L21; a number further on in a name is only talked about. */
function readOpeningNumbers(name) {
  return openingNumbers.exec(name)?.[0].match(anyNumber) ?? [];
}

/** Reads the repository in the working directory. */
export function checkRules() {
  const read = (patterns, parse) =>
    globSync(patterns, { exclude: (name) => name === "node_modules" || name === "dist" })
      .toSorted()
      .flatMap((file) => parse(readFileSync(file, "utf8"), file));
  const rules = read("docs/rules/*.md", readRules);
  const tests = read(testFiles, readTestNames);
  return { rules, tests, problems: rules.length === 0 ? ["docs/rules lists no rule"] : compareRules(rules, tests) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { rules, tests, problems } = checkRules();
  for (const problem of problems) console.error(problem);
  console.log(`check:rules: ${rules.length} rules, ${tests.length} tests, ${problems.length} problems`);
  process.exit(problems.length === 0 ? 0 : 1);
}
