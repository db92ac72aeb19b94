/** What steps leave behind: results by id, and which agents spoke. Branches and attempts get a layer of their own, kept or dropped as a whole. */

import type { Involved } from "../errors/compose.js";
import { duplicateStep } from "../errors/declaration-errors.js";
import type { Results } from "../components/step.js";
import type { AgentState } from "./context.js";

/** The ids of a run, in whatever layer: they are unique across branches. */
type Claims = Map<string, Involved>;

/** The results of one sequence of steps, on top of those that were there before it. */
export class Layer {
  readonly #parent: Layer | undefined;
  readonly #claims: Claims;
  readonly #ownIds: string[] = [];
  readonly #results = new Map<string, unknown>();
  readonly #agents: AgentState[] = [];
  /** Steps without an id of the author's so far, by branch. */
  readonly #implicit: Map<string, number>;

  constructor(parent?: Layer) {
    this.#parent = parent;
    this.#claims = parent === undefined ? new Map() : parent.#claims;
    this.#implicit = parent === undefined ? new Map() : new Map(parent.#implicit);
  }

  /**
   * Takes a step id for this run.
   * @throws {DeclarationError} `duplicate-step`
   */
  claim(id: string, step: Involved): void {
    const other = this.#claims.get(id);
    if (other !== undefined) throw duplicateStep(id, other, step);
    this.#claims.set(id, step);
    this.#ownIds.push(id);
  }

  /** The id of the next implicit step: `answer`, `answer-2`, and in a branch `answer-b1`, `answer-b1-2`. */
  nextImplicitId(branchSuffix: string): string {
    const count = (this.#implicit.get(branchSuffix) ?? 0) + 1;
    this.#implicit.set(branchSuffix, count);
    return `answer${branchSuffix}${count === 1 ? "" : `-${count}`}`;
  }

  setResult(id: string, value: unknown): void {
    this.#results.set(id, value);
  }

  addAgent(agent: AgentState): void {
    this.#agents.push(agent);
  }

  /** Every result visible here, oldest first; an object without a prototype. */
  results(): Results {
    const results: Record<string, unknown> =
      this.#parent === undefined ? Object.create(null) : { ...this.#parent.results() };
    Object.setPrototypeOf(results, null);
    for (const [id, value] of this.#results) results[id] = value;
    return results;
  }

  get agents(): readonly AgentState[] {
    return this.#agents;
  }

  /** Moves everything into the layer below. */
  keep(): void {
    const parent = this.#parent!;
    for (const [id, value] of this.#results) parent.#results.set(id, value);
    parent.#agents.push(...this.#agents);
    parent.#ownIds.push(...this.#ownIds);
    for (const [suffix, count] of this.#implicit)
      parent.#implicit.set(suffix, Math.max(count, parent.#implicit.get(suffix) ?? 0));
  }

  /** Forgets everything, ids included. */
  drop(): void {
    for (const id of this.#ownIds) this.#claims.delete(id);
  }
}
