/** What must compile and what must not. Checked by the type check; never run. */

import { Output, tool, type Tool as SdkTool, type ToolLoopAgentSettings, type ToolSet } from "ai";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  Agent,
  Catch,
  Inherit,
  Namespace,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  createElement,
  defineAgent,
  defineCapabilities,
  defineTool,
  defineToolset,
  run,
  type AgentProps,
  type JuneElement,
  type JuneError,
  type JuneNode,
  type Request,
  type RunHandle,
} from "@june/core";
import type { SdkSetting } from "./support/sdk-settings.js";

const echo = tool({ description: "Echo", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text });
const typed = z.object({ count: z.number().default(1), id: z.string().transform((id) => id.length) });

// Tags and components

// @ts-expect-error there are no built-in tags
void (<div />);
// @ts-expect-error nor any other in lower case
void (<agent />);
const Plain = ({ name }: { name: string }): JuneNode => name;
const Async = async ({ name }: { name: string }): Promise<JuneNode> => <Plain name={name} />;
function Generic<T>({ items, each }: { items: readonly T[]; each: (item: T) => JuneNode }): JuneNode {
  return items.map(each);
}
function Wrapping({ children }: { children: JuneNode }): JuneNode {
  return children;
}
const Numbering = (): number => 1;
const Dating = (): Date => new Date();
void (<Plain key="a" name="a" />);
void (<Plain key={1} name="a" />);
void (<Async name="a" />);
void (<Generic items={[1, 2]} each={(item) => <Plain name={item.toFixed()} />} />);
void (<Numbering />);
void (
  <Wrapping>
    {[1, "a", null, undefined, true, [<Plain key="a" name="a" />], new Set(["a"]), Promise.resolve("a")]}
  </Wrapping>
);
// @ts-expect-error a prop is missing
void (<Plain />);
// @ts-expect-error a prop of the wrong type
void (<Plain name={1} />);
// @ts-expect-error an unknown prop
void (<Plain name="a" extra />);
// @ts-expect-error the items are numbers
void (<Generic items={[1]} each={(item: string) => item} />);
// @ts-expect-error a component gives nodes
void (<Dating />);
// @ts-expect-error a function is no node
void (<Wrapping>{() => "a"}</Wrapping>);
// @ts-expect-error an object is no node
void (<Wrapping>{{ a: 1 }}</Wrapping>);
// @ts-expect-error a key is text or a number
void (<Plain key={{}} name="a" />);
expectTypeOf(<Plain name="a" />).toEqualTypeOf<JuneElement>();
expectTypeOf(createElement(Plain, { name: "a" })).toEqualTypeOf<JuneElement>();

// <Agent>

void (<Agent />);
void (<Agent name="a" model="openai/gpt-5" instructions="Be brief." temperature={0} maxTools={3} tools={{ echo }} />);
void (<Agent model={["openai/gpt-5", "anthropic/claude"]} messages={[{ role: "user", content: "hi" }]} />);
void (<Agent toolApproval={{ echo: "user-approval", other: () => "denied" }} activeTools={["echo"]} />);
void (<Agent toolApproval={({ toolCall }) => (toolCall.toolName === "echo" ? "user-approval" : undefined)} />);
void (
  <Agent stopWhen={({ steps }) => steps.length > 3} prepareStep={({ stepNumber }) => ({ temperature: stepNumber })} />
);
void (<Agent toolsContext={{ echo: { key: 1 } }} onStepEnd={({ usage }) => void usage.totalTokens} />);
void (<Agent output={Output.object({ schema: z.object({ a: z.string() }) })}>Give me an object.</Agent>);
// @ts-expect-error the SDK's name for it is name here
void (<Agent id="a" />);
// @ts-expect-error an unknown setting
void (<Agent modle="openai/gpt-5" />);
// @ts-expect-error a setting of the wrong type
void (<Agent temperature="hot" />);
// @ts-expect-error no status
void (<Agent toolApproval={{ echo: "maybe" }} />);
// @ts-expect-error tools are a set
void (<Agent tools={[echo]} />);

// Every setting of the SDK's agent is taken as it is, taken in another form, or left out on purpose.
type Settings = ToolLoopAgentSettings<never, ToolSet>;
expectTypeOf<Extract<keyof Settings, keyof AgentProps>>().toEqualTypeOf<SdkSetting<"same" | "own">>();
expectTypeOf<Exclude<keyof Settings, keyof AgentProps>>().toEqualTypeOf<SdkSetting<"left-out">>();
expectTypeOf<Pick<AgentProps, SdkSetting<"same">>>().toEqualTypeOf<Pick<Settings, SdkSetting<"same">>>();
expectTypeOf<Exclude<keyof AgentProps, keyof Settings>>().toEqualTypeOf<
  "name" | "messages" | "maxTools" | "maxToolOutputBytes" | "children"
>();

// <Step>

void (<Step id="a" prompt="go" />);
void (<Step id="a" prompt={[{ role: "user", content: "go" }]} />);
void (<Step id="a" prompt={(results) => `After ${String(results["before"])}`} />);
void (
  <Step id="a" prompt="go">
    {(text) => {
      expectTypeOf(text).toEqualTypeOf<string>();
      return <Plain name={text} />;
    }}
  </Step>
);
void (
  <Step id="a" prompt="go" output={Output.object({ schema: typed })}>
    {async (parsed) => {
      expectTypeOf(parsed).toEqualTypeOf<{ count: number; id: number }>();
      return null;
    }}
  </Step>
);
void (
  <Step id="a" prompt="go" output={Output.choice({ options: ["yes", "no"] })}>
    {(choice) => {
      expectTypeOf(choice).toEqualTypeOf<"yes" | "no">();
      return choice;
    }}
  </Step>
);
// @ts-expect-error a step has a prompt
void (<Step id="a" />);
// @ts-expect-error and an id
void (<Step prompt="go" />);
// @ts-expect-error a prompt is text or messages
void (<Step id="a" prompt={1} />);
// @ts-expect-error a prompt is never a promise: an async component waits
void (<Step id="a" prompt={async () => "go"} />);
// @ts-expect-error a prompt is no node
void (<Step id="a" prompt={<Plain name="a" />} />);
// @ts-expect-error what follows is a function
void (<Step id="a" prompt="go" children="and then" />);
const object = Output.object({ schema: typed });
const ofText = (text: string): JuneNode => text;
// @ts-expect-error the answer is an object
void (<Step id="a" prompt="go" output={object} children={ofText} />);

// <Tool>

const lookUp = defineTool({
  name: "look_up",
  description: "Look up",
  input: typed,
  execute: ({ id }) => ({ found: id }),
});
void (<Tool name="a" value={echo} />);
void (<Tool use={lookUp} />);
void (<Tool use={lookUp} as="find" />);
void (
  <Tool name="a" description="Count" input={typed} output={({ steps }) => steps["a"]}>
    {({ count, id }) => {
      expectTypeOf(count).toEqualTypeOf<number>();
      expectTypeOf(id).toEqualTypeOf<number>();
      return <Agent>{`Count to ${count}`}</Agent>;
    }}
  </Tool>
);
// @ts-expect-error no form is complete
void (<Tool name="a" />);
// @ts-expect-error a name is missing
void (<Tool value={echo} />);
// @ts-expect-error two forms
void (<Tool name="a" value={echo} description="Count" />);
// @ts-expect-error two forms
void (<Tool name="a" value={echo} use={lookUp} />);
// @ts-expect-error another name is `as`
void (<Tool use={lookUp} name="find" />);
// @ts-expect-error only what defineTool made
void (<Tool use={(order: string) => order} />);
const nothing = (): null => null;
// @ts-expect-error an input schema is missing
void (<Tool name="a" description="Count" children={nothing} />);
// @ts-expect-error a description is missing
void (<Tool name="a" input={typed} children={nothing} />);
// @ts-expect-error a workflow is missing
void (<Tool name="a" description="Count" input={typed} />);
// @ts-expect-error a workflow is a function
void (<Tool name="a" description="Count" input={typed} children={<Plain name="a" />} />);
const ofAnother = ({ other }: { other: string }): JuneNode => other;
// @ts-expect-error the input is another
void (<Tool name="a" description="Count" input={typed} children={ofAnother} />);
// @ts-expect-error approval is the tool's, a wrapper's or the agent's
void (<Tool name="a" value={echo} needsApproval />);

// <Inherit>, wrappers, control

void (<Inherit capabilities={["a"] as const} />);
void (
  <RequireApproval reason="policy">
    <Tool name="a" value={echo} />
  </RequireApproval>
);
void (
  <Namespace name="a">
    <Tool name="a" value={echo} />
  </Namespace>
);
void (
  <Parallel limit={2}>
    {[1, 2].map((n) => (
      <Plain key={n} name={`${n}`} />
    ))}
  </Parallel>
);
void (
  <Catch retries={2} delayMs={(attempt) => attempt * 100} when={({ code }) => code === "model-failed"}>
    {"text"}
  </Catch>
);
void (
  <Catch
    fallback={(error) => {
      expectTypeOf(error).toEqualTypeOf<JuneError>();
      return error.message;
    }}
  />
);
// @ts-expect-error names are a list
void (<Inherit capabilities="a" />);
// @ts-expect-error there is no "everything"
void (<Inherit />);
// @ts-expect-error a namespace has a name
void (<Namespace />);
// @ts-expect-error a reason is text
void (<RequireApproval reason={1} />);
// @ts-expect-error no code of June's
void (<Catch when={({ code }) => code === "no-such-code"} />);

// Bundles and toolsets

const Files = defineCapabilities(
  ({ writable = false }: { writable?: boolean }) => writable && <Tool name="a" value={echo} />,
);
const Bare = defineCapabilities(() => <Files writable />);
const Needing = defineCapabilities(({ root }: { root: string }) => <Tool name={root} value={echo} />, {
  name: "Needing",
});
void (<Files />);
void (<Files key="a" writable />);
void (<Bare />);
void (<Needing root="a" />);
// @ts-expect-error a prop of the wrong type
void (<Files writable="yes" />);
// @ts-expect-error a bundle without props takes none
void (<Bare writable />);
// @ts-expect-error a prop is missing
void (<Needing />);

const Shell = defineToolset({ name: "Shell", tools: ({ cwd }: { cwd: string }) => ({ [cwd]: echo as SdkTool }) });
const Remote = defineToolset({
  name: "Remote",
  label: ({ url }: { url: string }) => ({ url }),
  key: ({ url }) => url,
  open: async ({ url }, { signal }) => {
    expectTypeOf(url).toEqualTypeOf<string>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return { tools: {} };
  },
});
void (<Shell cwd="a" />);
void (<Remote url="a" />);
// @ts-expect-error a prop is missing
void (<Shell />);
// @ts-expect-error both forms
void defineToolset({ name: "Both", tools: () => ({}), key: () => "", open: async () => ({ tools: {} }) });
// @ts-expect-error what waits has a key
void defineToolset({ name: "Keyless", open: async () => ({ tools: {} }) });
// @ts-expect-error tools that wait are opened
void defineToolset({ name: "Late", tools: async () => ({}) });

// Callable agents

const Researcher = defineAgent({
  name: "researcher",
  description: "Research",
  input: typed,
  prompt: ({ count, id }) => {
    expectTypeOf(count).toEqualTypeOf<number>();
    expectTypeOf(id).toEqualTypeOf<number>();
    return `${count} about ${id}`;
  },
  temperature: 0,
});
const Explorer = defineAgent({
  name: "explorer",
  description: "Explore",
  input: z.object({ place: z.string() }),
  prompt: ({ place }) => place,
  output: Output.object({ schema: z.object({ found: z.boolean() }) }),
  capabilities: ({ root }: { root: string }) => <Needing root={root} />,
});
void (<Researcher />);
void (<Researcher name="other" model="openai/gpt-5" />);
void (<Explorer root="." />);
// @ts-expect-error the definition takes no such prop
void (<Researcher root="." />);
// @ts-expect-error the capabilities need it
void (<Explorer />);
// @ts-expect-error a prop of the wrong type
void (<Explorer root={1} />);
expectTypeOf(Researcher.run).parameter(0).toEqualTypeOf<{ id: string; count?: number | undefined }>();
expectTypeOf(Researcher.run({ id: "a" })).toEqualTypeOf<RunHandle<string>>();
expectTypeOf(Explorer.run({ place: "a" }, { props: { root: "." } })).toEqualTypeOf<RunHandle<{ found: boolean }>>();
// @ts-expect-error the input is another
void Explorer.run({ where: "a" });
// @ts-expect-error a description is missing
void defineAgent({ name: "a", input: typed, prompt: () => "go" });
// @ts-expect-error a prompt is text or messages
void defineAgent({ name: "a", description: "a", input: typed, prompt: () => 1 });
const prompt = (): string => "go";
// @ts-expect-error an unknown setting
void defineAgent({ name: "a", description: "a", input: typed, prompt, modle: "openai/gpt-5" });
// @ts-expect-error the name of the tool is the definition's, and a second copy of it is no setting
void defineAgent({ name: "a", description: "a", input: typed, prompt, id: "b" });

// Callable tools and run

expectTypeOf(lookUp).parameter(0).toEqualTypeOf<{ id: string; count?: number | undefined }>();
expectTypeOf(lookUp({ id: "a" })).toEqualTypeOf<Promise<{ found: number }>>();
// @ts-expect-error the input is another
void lookUp({ order: "a" });

const handle = run(<Agent />, {
  onRequest: (request) => {
    expectTypeOf(request).toEqualTypeOf<Request>();
    return request.kind === "input" ? { answer: 1 } : { approved: true, reason: "fine" };
  },
});
expectTypeOf(handle).toEqualTypeOf<RunHandle<unknown>>();
expectTypeOf((await handle).output).toEqualTypeOf<unknown>();
expectTypeOf((await handle).steps).toEqualTypeOf<Readonly<Record<string, unknown>>>();
// @ts-expect-error an unknown option
void run(<Agent />, { modle: "openai/gpt-5" });
// @ts-expect-error an answer says whether it approves
void run(<Agent />, { onRequest: () => ({ reason: "fine" }) });
// @ts-expect-error a run is of an element
void run("text");
