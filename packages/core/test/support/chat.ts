/** A page without a page: the AI SDK's own chat client, talking its wire format to an endpoint that runs June. */

import {
  AbstractChat,
  DefaultChatTransport,
  createUIMessageStreamResponse,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatState,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import type { RunHandle } from "@june/core";
import { settled } from "./deferred.js";

/** A client that sends its answers when the SDK's helpers say so, with the run it talks to. */
export class Chat extends AbstractChat<UIMessage> {
  /** How many requests it sent. */
  readonly requests: UIMessage[][];
  readonly #watched: WatchedState;

  /** @param start starts the run for a user's message. */
  constructor(start: () => RunHandle) {
    const requests: UIMessage[][] = [];
    let handle: RunHandle | undefined;
    const endpoint = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
      const { messages } = JSON.parse(String(init?.body)) as { messages: UIMessage[] };
      requests.push(messages);
      // Clients that answer what was not asked go on for ever, without a macrotask between.
      if (requests.length > 100) throw new Error("The client sent 100 requests.");
      const last = messages.at(-1)!;
      if (last.role === "assistant" && handle !== undefined && last.id === handle.id) await sendAnswers(handle, last);
      else handle = start();
      return createUIMessageStreamResponse({ stream: handle.toUIMessageStream() });
    };
    const watched = new WatchedState();
    super({
      transport: new DefaultChatTransport({ api: "http://127.0.0.1/chat", fetch: endpoint as typeof fetch }),
      state: watched,
      sendAutomaticallyWhen: (chat) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(chat) || lastAssistantMessageIsCompleteWithToolCalls(chat),
    });
    this.requests = requests;
    this.#watched = watched;
  }

  /** Waits until it has sent what it has to send, and read the answer. */
  async idle(): Promise<void> {
    await settled();
    while (this.status === "submitted" || this.status === "streaming") {
      await this.#watched.changed();
      await settled();
    }
  }

  /** The answer's tool parts, each as `name state`. */
  get tools(): string[] {
    return (this.lastMessage?.parts ?? []).filter(isToolUIPart).map((part) => `${part.type.slice(5)} ${part.state}`);
  }

  /** The answer's text. */
  get text(): string {
    return (this.lastMessage?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  }

  /** The open questions. */
  get questions(): { id: string; input: unknown }[] {
    return (this.lastMessage?.parts ?? []).flatMap((part) =>
      isToolUIPart(part) && part.state === "approval-requested" ? [{ id: part.approval.id, input: part.input }] : [],
    );
  }
}

/** What the endpoint of the guide does with the answers that a page sends back. */
export async function sendAnswers(handle: RunHandle, message: UIMessage): Promise<void> {
  for (const part of message.parts) {
    if (!isToolUIPart(part)) continue;
    const request = handle.requests.find(({ id }) => id === part.toolMetadata?.["requestId"]);
    if (request === undefined) continue;
    if (part.state === "output-available") await handle.answer(request.id, part.output);
    else if (part.state === "approval-responded") {
      const { approved, reason } = part.approval;
      await handle[approved ? "approve" : "deny"](request.id, reason === undefined ? {} : { reason });
    }
  }
}

/** Every chunk of a stream. */
export async function collectChunks(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

class WatchedState implements ChatState<UIMessage> {
  readonly #watchers = new Set<() => void>();
  #status: ChatState<UIMessage>["status"] = "ready";
  error: Error | undefined = undefined;
  messages: UIMessage[] = [];

  get status(): ChatState<UIMessage>["status"] {
    return this.#status;
  }

  set status(status: ChatState<UIMessage>["status"]) {
    this.#status = status;
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }

  changed(): Promise<void> {
    return new Promise((resolve) => this.#watchers.add(resolve));
  }

  pushMessage = (message: UIMessage): void => void (this.messages = [...this.messages, message]);
  popMessage = (): void => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(value: T): T => structuredClone(value);
}
