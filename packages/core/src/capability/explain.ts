/** Why an agent can or cannot call a tool: one sentence per fact. Used by errors, `june inspect --why` and Studio. */

import { closestNames } from "../errors/compose.js";
import { isDenial } from "./approval.js";
import { sourceOf } from "./declaration.js";
import { listWaits, rulesOf, type Scope } from "./scope.js";

/** Why the agent of `scope` has, or lacks, the tool `name`. `activeTools` are the names its settings leave to the model, where they bound them. */
export function explainTool(name: string, scope: Scope, activeTools?: readonly string[]): readonly string[] {
  const declaration = scope.byName.get(name);
  if (declaration === undefined)
    return [`${scope.agent.label} has no tool ${JSON.stringify(name)}.`, ...explainAbsence(name, scope)];
  const facts = [`${JSON.stringify(name)} is declared here by ${sourceOf(declaration)}.`];
  if (declaration.granted !== undefined) {
    facts[0] = `${JSON.stringify(name)} is granted here by ${sourceOf(declaration)} from ${sourceOf(declaration.granted.declaration)} in the enclosing ${declaration.granted.scope.agent.label}.`;
  }
  const denial = rulesOf(declaration, scope).find(isDenial);
  if (denial !== undefined) facts.push(`Every call of it is denied because of ${denial.because}.`);
  const wait = listWaits(scope).find((entry) => entry.name === name);
  if (wait !== undefined) facts.push(`It waits for approval because of ${wait.because}.`);
  if (activeTools !== undefined && !activeTools.includes(name))
    facts.push(`The model is not offered it: activeTools leaves it out.`);
  return facts;
}

/** Why `scope` lacks the tool `name`: declared further out, spelled otherwise, or behind a toolset that is not open yet. */
export function explainAbsence(name: string, scope: Scope): readonly string[] {
  const facts: string[] = [];
  for (let outer = scope.parent, levels = 1; outer !== undefined; outer = outer.parent, levels++) {
    const declaration = outer.byName.get(name);
    if (declaration === undefined) continue;
    const where = levels === 1 ? "the enclosing agent" : `the agent ${levels} levels out`;
    facts.push(
      `${where} ${outer.agent.label} declares ${JSON.stringify(name)} by ${sourceOf(declaration)}, and it is not inherited ${levels === 1 ? "here" : "at every level between"}.`,
    );
  }
  const [closest] = closestNames(name, [...scope.byName.keys()]);
  if (closest !== undefined) facts.push(`A tool with a similar name is ${JSON.stringify(closest)}.`);
  for (const declaration of scope.declarations) {
    if (declaration.originalName === name && declaration.name !== name)
      facts.push(
        `${sourceOf(declaration)} exposes its ${JSON.stringify(name)} as ${JSON.stringify(declaration.name)}.`,
      );
  }
  for (const label of scope.unopened) facts.push(`${label} is not open, so its tools are not known.`);
  return facts.map((fact) => `${fact[0]?.toUpperCase() ?? ""}${fact.slice(1)}`);
}
