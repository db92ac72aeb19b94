/** `--model provider:id` and `--model echo`: the model for agents that have none of their own. */

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { LanguageModel } from "ai";
import { modelInvalid, providerMissing, providerUnsuitable } from "../errors/messages.js";

type Module = Readonly<Record<string, unknown>>;

/** The packages of providers that come with the command, by provider: `openai` → `@ai-sdk/openai`. */
export type ProviderModules = Readonly<Record<string, () => Promise<object>>>;

type Provider = (modelId: string) => LanguageModel;

/**
 * Makes the model. A provider that does not come with the command is taken from the project of `file`.
 * @throws {CommandError} when the text names no model, or its provider's package is missing
 */
export async function loadModel(text: string, file: string, bundled: ProviderModules): Promise<LanguageModel> {
  if (text === "echo") return (await import("@june/core/testing")).echoModel();
  const [, provider, modelId] = /^([a-z][a-z0-9-]*):(.+)$/.exec(text) ?? [];
  if (provider === undefined || modelId === undefined) throw modelInvalid(text);
  const load = bundled[provider] ?? (() => importFrom(file, provider, Object.keys(bundled)));
  const make = findProvider((await load()) as Module, provider);
  if (make === undefined) throw providerUnsuitable(provider);
  return make(modelId);
}

async function importFrom(file: string, provider: string, bundled: readonly string[]): Promise<Module> {
  let path: string;
  try {
    path = createRequire(resolve(file)).resolve(`@ai-sdk/${provider}`);
  } catch {
    throw providerMissing(provider, [...bundled, "echo"]);
  }
  return (await import(pathToFileURL(path).href)) as Module;
}

/** The export that is a provider: named like its package, `open-router` → `openRouter`, or the only one. */
function findProvider(exports: Module, provider: string): Provider | undefined {
  const camelCase = provider.replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
  const isProvider = (value: unknown): value is Provider =>
    typeof value === "function" && typeof (value as { languageModel?: unknown }).languageModel === "function";
  const named = exports[camelCase];
  if (isProvider(named)) return named;
  const [only, ...others] = new Set(Object.values(exports).filter(isProvider));
  return others.length === 0 ? only : undefined;
}
