/** A server on loopback that stands in front of another and passes every request on, but for those a test wants broken. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What happens to one request: a reply instead, or the real reply up to the event of the stream that holds `after`, and the end of the connection at `when`. */
export type Interference =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly after: string; readonly when: Promise<void>; readonly how: "end" | "reset" };

export interface Front {
  readonly url: string;
  /** When each request came, in milliseconds of the monotonic clock. */
  readonly arrivedAtMs: readonly number[];
  close(): Promise<void>;
}

/** Starts it on a free port. `interfere` is asked for each request, counted from 0, and gives undefined to pass it on. */
export async function startFront(
  target: string,
  interfere: (index: number) => Interference | undefined,
): Promise<Front> {
  const arrivedAtMs: number[] = [];
  const server = createServer((request, response) => {
    const interference = interfere(arrivedAtMs.length);
    arrivedAtMs.push(performance.now());
    reply(target, request, response, interference).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivedAtMs,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function reply(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  interference: Interference | undefined,
): Promise<void> {
  const body = await readBody(request);
  if (interference !== undefined && "status" in interference) {
    response.writeHead(interference.status, interference.headers).end(interference.body);
    return;
  }
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method ?? "POST",
    headers: { "content-type": "application/json", authorization: "Bearer test", "x-api-key": "test" },
    body,
  });
  const text = await answer.text();
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
  if (interference === undefined) {
    response.end(text);
    return;
  }
  const { after, when, how } = interference;
  const cutAt = text.indexOf("\n\n", text.indexOf(after));
  if (!text.includes(after)) throw new Error(`the reply has no ${JSON.stringify(after)}:\n${text}`);
  response.write(text.slice(0, cutAt + 2));
  await when;
  if (how === "end") response.end();
  else response.destroy();
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
  return body;
}
