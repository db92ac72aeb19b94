/** One function for each way the author's JSX or options can be wrong. The whole message is made here; tests compare it whole. This file is long because it is a list. */

import { at, composeMessage, didYouMean, listNames, type Involved } from "./compose.js";
import { DeclarationError } from "./june-error.js";

const nodeCure =
  "A node is an element, text, a number, an array of nodes, a promise of one, or nothing (true, false, null, undefined).";

/** Something that is no node stands where one is expected. */
export function invalidNode(found: string, path: string, source: string | undefined, hint?: string): DeclarationError {
  return new DeclarationError(
    "invalid-node",
    composeMessage(`${found} cannot be rendered in ${path}${at(source)}`, [], hint ?? nodeCure),
    {
      details: { found, path, source },
    },
  );
}

/** A tag has a prop it does not know, lacks one it needs, or has one of the wrong kind. */
export function invalidProps(
  label: string,
  source: string | undefined,
  problem: string,
  cure: string,
): DeclarationError {
  return new DeclarationError("invalid-props", composeMessage(`${label}${at(source)} ${problem}`, [], cure), {
    details: { label, source, problem },
  });
}

/** An option of a function (`run`, `defineAgent`, …) is wrong. */
export function invalidOption(call: string, problem: string, cure: string): DeclarationError {
  return new DeclarationError("invalid-option", composeMessage(`${call}: ${problem}`, [], cure), {
    details: { call, problem },
  });
}

/** A capability stands where no agent takes it. */
export function misplacedCapability(capability: Involved, component: string | undefined): DeclarationError {
  const where = component === undefined ? "outside any <Agent>" : `inside ${component}, where no <Agent> can see it`;
  return new DeclarationError(
    "misplaced-capability",
    composeMessage(
      `the capability ${capability.label}${at(capability.source)} stands ${where}`,
      [],
      "Put it directly among the children of an <Agent>, or in a bundle made with defineCapabilities() that stands there.",
    ),
    { details: { capability: capability.label, source: capability.source, component } },
  );
}

/** A bundle or wrapper holds something that is no capability. */
export function capabilityContent(
  container: Involved,
  found: string,
  place: string | undefined,
  cure: string,
): DeclarationError {
  return new DeclarationError(
    "capability-content",
    composeMessage(
      `${container.label}${at(container.source)} holds ${found}${at(place)}, but only capabilities can stand there`,
      [],
      cure,
    ),
    {
      details: { container: container.label, found },
    },
  );
}

/** A bundle contains itself. */
export function bundleCycle(chain: readonly string[], source: string | undefined): DeclarationError {
  const text = chain.join(" > ");
  return new DeclarationError(
    "bundle-cycle",
    composeMessage(
      `a bundle contains itself: ${text}${at(source)}`,
      [],
      "Take the inner one out, or make the part they share a bundle of its own.",
    ),
    {
      details: { chain },
    },
  );
}

/** What a `<Tool value>`, a `tools` prop or a toolset gives is no AI SDK tool. */
export function toolValue(declaration: Involved, name: string, found: string): DeclarationError {
  return new DeclarationError(
    "tool-value",
    composeMessage(
      `the tool ${JSON.stringify(name)} is no AI SDK tool but ${found}`,
      [declaration],
      'Make it with tool({ description, inputSchema, execute }) from "ai".',
    ),
    { details: { name, declaration: declaration.label } },
  );
}

/** What is given as a set of tools is none. */
export function toolSetValue(declaration: Involved, found: string): DeclarationError {
  return new DeclarationError(
    "tool-value",
    composeMessage(
      `${declaration.label}${at(declaration.source)} gives ${found} where a set of tools is expected`,
      [],
      "Give an object of AI SDK tools by name. What has to wait belongs in defineToolset({ key, open }).",
    ),
    { details: { declaration: declaration.label } },
  );
}

/** A tool's input schema cannot be sent to a model. */
export function toolSchema(declaration: Involved, name: string, problem: string, cause?: unknown): DeclarationError {
  return new DeclarationError(
    "tool-schema",
    composeMessage(
      `the input schema of the tool ${JSON.stringify(name)} cannot be given to a model: ${problem}`,
      [declaration],
      "Use an object at the root and parts that JSON Schema can express, such as an ISO date string instead of a date.",
    ),
    { details: { name, declaration: declaration.label, problem }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** Two capabilities of one scope expose the same name. */
export function toolNameCollision(name: string, agent: Involved, first: Involved, second: Involved): DeclarationError {
  return new DeclarationError(
    "tool-name-collision",
    composeMessage(
      `two capabilities expose the tool ${JSON.stringify(name)} in ${agent.label}${at(agent.source)}`,
      [first, second],
      'Rename one, or put one inside <Namespace name="…">.',
    ),
    { details: { name, agent: agent.label, declarations: [first.label, second.label] } },
  );
}

/** An exposed name is not one that providers accept. `parts` names each piece of the name and where it comes from. */
export function toolNameInvalid(
  name: string,
  agent: Involved,
  declaration: Involved,
  parts: readonly string[],
): DeclarationError {
  const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return new DeclarationError(
    "tool-name-invalid",
    composeMessage(
      `${JSON.stringify(shown)} in ${agent.label}${at(agent.source)} is no legal tool name (${name.length} characters)`,
      [declaration],
      parts.length > 1 ? `It is made of ${parts.join(" + ")}.` : undefined,
      "A name is 1 to 64 letters, digits, _ and -, and starts with a letter. Rename the tool or shorten a namespace.",
    ),
    { details: { name, length: name.length, limit: 64, parts } },
  );
}

/** One scope has more tools than providers accept. */
export function tooManyTools(
  agent: Involved,
  count: number,
  limit: number,
  perSource: readonly { source: string; count: number }[],
): DeclarationError {
  const involved = perSource.map(({ source, count: toolCount }): Involved => ({
    label: `${toolCount} from ${source}`,
  }));
  return new DeclarationError(
    "too-many-tools",
    composeMessage(
      `${agent.label}${at(agent.source)} declares ${count} tools, more than ${limit}`,
      involved,
      "Declare fewer, split the agent, or set maxTools on the <Agent> if its model takes more.",
    ),
    { details: { agent: agent.label, count, limit, perSource } },
  );
}

/** A tool is declared that the run's `allowedTools` leaves out. */
export function toolNotAllowed(
  name: string,
  agent: Involved,
  declaration: Involved,
  allowedTools: readonly string[],
): DeclarationError {
  return new DeclarationError(
    "tool-not-allowed",
    composeMessage(
      `the tool ${JSON.stringify(name)} in ${agent.label}${at(agent.source)} is not among the run's allowedTools`,
      [declaration],
      `allowedTools has ${allowedTools.length === 0 ? "no name" : listNames([...allowedTools].toSorted())}.`,
      "Add the name to allowedTools, or take the declaration out.",
    ),
    { details: { name, agent: agent.label, declaration: declaration.label } },
  );
}

/** A rule wants to hold a tool that the provider runs itself. */
export function providerToolApproval(name: string, declaration: Involved, rule: string): DeclarationError {
  return new DeclarationError(
    "provider-tool-approval",
    composeMessage(
      `${rule} cannot hold the tool ${JSON.stringify(name)}: the provider runs it itself, before June sees the call`,
      [declaration],
      "Take the rule away, or use a tool that runs in your process.",
    ),
    { details: { name, rule } },
  );
}

/** A setting of an agent names a tool its scope does not have. */
export function unknownToolName(
  agent: Involved,
  setting: string,
  name: string,
  existing: readonly string[],
): DeclarationError {
  const sorted = [...existing].toSorted();
  return new DeclarationError(
    "unknown-tool-name",
    composeMessage(
      `${setting} of ${agent.label}${at(agent.source)} names the tool ${JSON.stringify(name)}, which the agent does not have`,
      [],
      existing.length === 0 ? "It has no tools." : `It has ${listNames(sorted)}.`,
      `Use the exposed name, with its namespaces.${didYouMean(name, sorted)}`,
    ),
    { details: { agent: agent.label, setting, name, existing: sorted } },
  );
}

/** A nested agent gives its own context to a tool that came with the parent's. */
export function grantedToolsContext(agent: Involved, name: string): DeclarationError {
  return new DeclarationError(
    "granted-tools-context",
    composeMessage(
      `toolsContext of ${agent.label}${at(agent.source)} gives a context to ${JSON.stringify(name)}, which was inherited together with the parent's context`,
      [],
      "Take the entry out: an inherited tool keeps the context its parent gave it.",
    ),
    { details: { agent: agent.label, name } },
  );
}

/** An `<Inherit>` names a tool the enclosing agent lacks. `explanations` say why, one sentence each. */
export function inheritUnknown(
  inherit: Involved,
  name: string,
  parent: Involved,
  existing: readonly string[],
  explanations: readonly string[],
): DeclarationError {
  return new DeclarationError(
    "inherit-unknown",
    composeMessage(
      `${inherit.label}${at(inherit.source)} asks for ${JSON.stringify(name)}, which the enclosing ${parent.label}${at(parent.source)} does not have`,
      [],
      existing.length === 0 ? "It has no tools." : `It has ${listNames(existing)}.`,
      ...explanations,
      "Declare the tool in the enclosing agent, or inherit it there first.",
    ),
    { details: { name, parent: parent.label, existing } },
  );
}

/** An `<Inherit>` lists a name twice. */
export function inheritDuplicate(inherit: Involved, name: string): DeclarationError {
  return new DeclarationError(
    "inherit-duplicate",
    composeMessage(
      `${inherit.label}${at(inherit.source)} lists ${JSON.stringify(name)} twice`,
      [],
      "List each name once.",
    ),
    { details: { name } },
  );
}

/** An `<Inherit>` has no agent around its own. */
export function inheritWithoutParent(inherit: Involved, agent: Involved): DeclarationError {
  return new DeclarationError(
    "inherit-without-parent",
    composeMessage(
      `${inherit.label}${at(inherit.source)} stands in ${agent.label}${at(agent.source)}, which has no agent around it to inherit from`,
      [],
      "Nest the agent in the one whose tools it should get, or declare the tools here.",
    ),
    { details: { agent: agent.label } },
  );
}

/** An agent has no model. */
export function noModel(agent: Involved): DeclarationError {
  return new DeclarationError(
    "no-model",
    composeMessage(
      `${agent.label}${at(agent.source)} has no model`,
      [],
      "Set <Agent model={…}>, or give a default with run(element, { model }) or june run --model provider:id.",
    ),
    { details: { agent: agent.label, source: agent.source } },
  );
}

/** A conversation given to an agent brings tool approvals that this run never asked for. */
export function messagesWithApprovals(owner: Involved): DeclarationError {
  return new DeclarationError(
    "messages-with-approvals",
    composeMessage(
      `the messages given to ${owner.label}${at(owner.source)} hold a tool approval, which only the run that asked can accept`,
      [],
      "Take the approval parts out and answer requests with approve(), deny() or onRequest.",
    ),
    { details: { owner: owner.label } },
  );
}

/** A step stands outside any agent of its run. */
export function stepWithoutAgent(step: Involved, isChildRun: boolean): DeclarationError {
  return new DeclarationError(
    "step-without-agent",
    composeMessage(
      `${step.label}${at(step.source)} has no <Agent> around it`,
      [],
      isChildRun
        ? "A composite tool runs on its own: put an <Agent> around the step inside the tool's function."
        : "Put it inside an <Agent>.",
    ),
    { details: { step: step.label } },
  );
}

/** A step of an agent around a `<Parallel>` stands inside it. */
export function stepInParallel(step: Involved, agent: Involved): DeclarationError {
  return new DeclarationError(
    "step-in-parallel",
    composeMessage(
      `${step.label}${at(step.source)} stands in a <Parallel> but belongs to ${agent.label}${at(agent.source)} around it: parallel turns of one conversation have no order`,
      [],
      "Give each branch an <Agent> of its own.",
    ),
    { details: { step: step.label, agent: agent.label } },
  );
}

/** Two steps of one run have the same id. */
export function duplicateStep(id: string, first: Involved, second: Involved): DeclarationError {
  return new DeclarationError(
    "duplicate-step",
    composeMessage(
      `two steps of this run have the id ${JSON.stringify(id)}`,
      [first, second],
      "Give each step an id of its own.",
    ),
    { details: { id } },
  );
}

/** Text stands beside steps. */
export function textBesideSteps(owner: Involved, text: string): DeclarationError {
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const cure = /^\d+$/.test(text.trim())
    ? "A number is text: write {list.length > 0 && …} instead of {list.length && …}."
    : "Put the text into a step's prompt, or take the steps out and let the text be the prompt.";
  return new DeclarationError(
    "text-beside-steps",
    composeMessage(
      `the text ${shown} stands beside steps in ${owner.label}${at(owner.source)}, where it has no place`,
      [],
      cure,
    ),
    {
      details: { owner: owner.label },
    },
  );
}

/** Elements of another major version of core. */
export function duplicateCore(found: string, otherMajor: number, ownMajor: number): DeclarationError {
  return new DeclarationError(
    "duplicate-core",
    composeMessage(
      `${found} was made by another copy of @june/core, of major version ${otherMajor}; this one is ${ownMajor}`,
      [],
      "Install one major version of @june/core: the packages that bring capabilities should have it as a peer dependency.",
    ),
    { details: { otherMajor, ownMajor } },
  );
}

/** A callable tool was called where no component, child function or tool is active. */
export function toolInactive(name: string): DeclarationError {
  return new DeclarationError(
    "tool-inactive",
    composeMessage(
      `${name}() can only be called while a component is rendering`,
      [],
      `Outside a run, and in code that goes on after its component, call ${name}.execute(input).`,
    ),
    { details: { name } },
  );
}

/** What `<Tool use>` was given is no value of `defineTool`. */
export function toolUse(declaration: Involved, found: string): DeclarationError {
  return new DeclarationError(
    "tool-use",
    composeMessage(
      `${declaration.label}${at(declaration.source)} got ${found} as use`,
      [],
      "use takes exactly what defineTool() returned: no copy, proxy or look-alike. An AI SDK tool goes into <Tool name value>.",
    ),
    { details: { found } },
  );
}
