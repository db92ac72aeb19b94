/** `defineAgent`: an agent that other agents declare as a single tool, and that code can run alone. */

import type { FlexibleSchema, LanguageModel } from "ai";
import { Agent, settingRules, type AgentSettings, type AnyOutput } from "../components/agent.js";
import { checkProps } from "../components/check-props.js";
import { Step, type Prompt } from "../components/step.js";
import { foldChildren, type AgentTagDefinition } from "../capability/fold.js";
import { checkSchema } from "../capability/schema.js";
import { createElementRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { describeValue, didYouMean } from "../errors/compose.js";
import { invalidOption } from "../errors/declaration-errors.js";
import { toolInput } from "../errors/run-errors.js";
import type { RunOptions } from "./options.js";
import { run } from "./run.js";
import type { RunHandle } from "./run-handle.js";

type InputOf<S> = S extends { readonly "~standard": { readonly types?: { readonly input: infer I } | undefined } }
  ? I
  : S extends FlexibleSchema<infer O>
    ? O
    : never;
type OutputOf<S> = S extends FlexibleSchema<infer O> ? O : never;

/** What `defineAgent` takes besides an agent's settings. */
export interface AgentDefinition<S extends FlexibleSchema<any>, T, P> {
  /** The name of the tool that calls it. */
  name: string;
  /** What the calling model reads about it. */
  description: string;
  /** What the calling model must give. */
  input: S;
  /** All the agent knows of the call: the caller's conversation never crosses. */
  prompt: (input: OutputOf<S>) => Prompt;
  model?: LanguageModel | readonly LanguageModel[];
  /** What the caller gets: the parsed output as JSON; text when left out. */
  output?: AnyOutput<T>;
  /** The agent's private capabilities. Pure, as a bundle's function is. */
  capabilities?: (props: P) => JuneNode;
  maxTools?: number;
  maxToolOutputBytes?: number;
}

/** A callable agent: a tag that declares it as one tool, with `run` to run it alone. */
export interface CallableAgent<P extends object, I, T> {
  (props: { name?: string; model?: LanguageModel | readonly LanguageModel[] } & P): JuneElement;
  /**
   * Runs the agent alone.
   * @throws {RunError} `component-failed` through the handle, caused by `tool-input`, when the input does not fit.
   */
  run(input: I, options?: RunOptions & { props?: P }): RunHandle<T>;
}

/**
 * Makes a callable agent.
 * @throws {DeclarationError} `invalid-option` naming the option, what was given and what is expected.
 * @see docs/guide/callable-agents.md
 */
export function defineAgent<S extends FlexibleSchema<any>, T = string, P extends object = {}>(
  definition: AgentSettings & AgentDefinition<S, T, P>,
): CallableAgent<P, InputOf<S>, T> {
  checkDefinition(definition);
  const { name, description, input, prompt, output, capabilities, ...settings } = definition;
  const identity = Object.freeze({ name });
  const tool = Object.freeze({ description, inputSchema: input });
  const settingsWith = (model: unknown): Record<string, unknown> => ({
    ...settings,
    ...(model === undefined ? {} : { model }),
  });
  const render = (props: P, model: unknown, value: unknown): JuneElement =>
    createElementRecord(
      Agent,
      {
        ...settingsWith(model),
        name,
        children: [
          capabilities?.(props),
          createElementRecord(
            Step,
            { id: "answer", prompt: prompt(value as OutputOf<S>), ...(output === undefined ? {} : { output }) },
            null,
            undefined,
          ),
        ],
      },
      null,
      undefined,
    );
  const callable: AgentTagDefinition = {
    declare: ({ name: exposedName = name, model, ...own }) => ({
      name: exposedName as string,
      tool: tool as never,
      composite: {
        kind: "agent",
        name,
        render: (value) => render(own as P, model, value),
        output: undefined,
        agent: { definition: identity, capabilities: () => capabilities?.(own as P), settings: settingsWith(model) },
        parent: undefined,
      },
    }),
  };
  const tag = markTag(
    (props: object): JuneElement => createElementRecord(tag, { ...props }, null, undefined),
    "callable-agent",
    name,
    callable,
  );
  const runAlone = (value: InputOf<S>, { props, ...options }: RunOptions & { props?: P } = {}): RunHandle<T> => {
    const start = markedComponent(name, async () => {
      // A calling agent would have looked already.
      foldChildren(capabilities?.(props ?? ({} as P)), `<${name}>`, { label: `<${name}>` });
      return render(props ?? ({} as P), undefined, await validate(name, input, value));
    });
    return run(createElementRecord(start, {}, null, undefined), options) as RunHandle<T>;
  };
  return Object.defineProperty(tag, "run", { value: runAlone }) as unknown as CallableAgent<P, InputOf<S>, T>;
}

function markedComponent(name: string, component: () => Promise<JuneElement>): () => Promise<JuneElement> {
  return Object.defineProperty(component, "name", { value: name });
}

async function validate(name: string, input: FlexibleSchema<any>, value: unknown): Promise<unknown> {
  const result = await checkSchema(input).schema?.validate?.(value);
  if (result === undefined) return value;
  if (!result.success) throw toolInput(name, result.error);
  return result.value;
}

const own = ["name", "description", "input", "prompt", "model", "output", "capabilities"];

function checkDefinition(definition: Readonly<Record<string, unknown>> | AgentDefinition<any, any, any>): void {
  const options = definition as Readonly<Record<string, unknown>>;
  const known = [...own, ...Object.keys(settingRules)];
  const fail = (option: string, expected: string): never => {
    throw invalidOption("defineAgent()", `${option} is ${describeValue(options[option])}`, `${option} is ${expected}.`);
  };
  if (typeof options["name"] !== "string" || options["name"] === "")
    fail("name", "the name of the tool, text that is not empty");
  if (typeof options["description"] !== "string" || options["description"].trim() === "")
    fail("description", "text that is not empty, for the calling model");
  if (typeof options["prompt"] !== "function") fail("prompt", "a function of the input");
  if (options["capabilities"] !== undefined && typeof options["capabilities"] !== "function")
    fail("capabilities", "a function that returns capabilities");
  const { problem } = checkSchema(options["input"]) as { problem?: string };
  if (problem !== undefined)
    throw invalidOption(
      "defineAgent()",
      `input of ${JSON.stringify(options["name"])} cannot be given to a model: ${problem}`,
      "Use an object at the root, such as z.object({ … }).",
    );
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown !== undefined)
    throw invalidOption(
      "defineAgent()",
      `there is no option ${unknown}`,
      `See the settings of <Agent>.${didYouMean(unknown, known)}`,
    );
  const {
    name: _name,
    description: _description,
    input: _input,
    prompt: _prompt,
    capabilities: _capabilities,
    ...settings
  } = options;
  checkProps(createElementRecord(Agent, settings, null, undefined), settingRules);
}
