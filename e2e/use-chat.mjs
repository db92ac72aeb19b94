/**
 * A real chat page in Chromium against a run of June's: React and useChat on one side, an endpoint with toUIMessageStream() on
 * the other, HTTP on loopback between them. Text streams in, a tool call shows, an approval is asked and answered on the page.
 * Needs the build (`pnpm build`) and Debian's chromium; CHROMIUM names another one.
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { tsImport } from "tsx/esm/api";
import { build } from "vite";

const fixture = fileURLToPath(new URL("use-chat", import.meta.url));
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(browserPath)) fail(`${browserPath} is missing: install Debian's chromium, or set CHROMIUM.`);

// What the machine around Chromium need not have: a sandbox, a graphics card, and hosts to talk to by itself.
const browserFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const contentTypes = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };

const { POST, gate, refunded } = await tsImport("./use-chat/endpoint.tsx", import.meta.url);
const folder = await mkdtemp(join(tmpdir(), "june-use-chat-"));
const server = createServer((request, response) => {
  respond(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  });
});
let browser;
try {
  await build({
    root: fixture,
    configFile: false,
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true, chunkSizeWarningLimit: 2_000 },
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });

  await scenario("a person approves", address, async (page, chat) => {
    await chat.say("Refund order 7.");
    await chat.answer.getByText("Let me look", { exact: true }).waitFor();
    assert.equal(await chat.status(), "streaming", "the first piece of text is there while the model has not gone on");
    gate.resolve();
    await chat.answer.getByText("Let me look that order up first.", { exact: true }).waitFor();

    const lookUp = page.getByRole("region", { name: "lookUp" });
    await lookUp.getByText("output-available").waitFor();
    assert.equal(await lookUp.getByRole("code").textContent(), '{"order":"7","euros":12}');

    const refund = page.getByRole("region", { name: "refund" });
    await refund.getByText("approval-requested").waitFor();
    await refund.getByText("It moves money.").waitFor();
    await refund.getByRole("group", { name: 'desk: {"order":"7"}' }).waitFor();
    await chat.settle();
    assert.deepEqual(refunded, [], "nothing ran before the answer");

    await refund.getByRole("button", { name: "Approve" }).click();
    await chat.answer.getByText("Order 7 is refunded.").waitFor();
    await refund.getByText("output-available").waitFor();
    await chat.settle();
    assert.deepEqual(refunded, ["7"]);
    assert.equal(await page.getByRole("listitem").count(), 2, "the answer is one message");
  });

  await scenario("a person denies, with a reason", address, async (page, chat) => {
    await chat.say("Refund order 8.");
    const refund = page.getByRole("region", { name: "refund" });
    await refund.getByLabel("Reason").fill("not without a receipt");
    await chat.settle();
    await refund.getByRole("button", { name: "Deny" }).click();
    await chat.answer.getByText("Not refunded: not without a receipt.").waitFor();
    await refund.getByText("output-denied").waitFor();
    await refund.getByText("not without a receipt").waitFor();
    await chat.settle();
    assert.deepEqual(refunded, ["7"]);
  });

  await scenario("a tool asks inside a callable agent", address, async (page, chat) => {
    await chat.say("Ask the clerk.");
    const clerk = page.getByRole("region", { name: "clerk" });
    await clerk.getByText("input-available").waitFor();
    const refund = page.getByRole("region", { name: "refund" });
    await refund.getByRole("group", { name: 'clerk:answer: {"order":"9"}' }).waitFor();
    await chat.settle();
    await refund.getByRole("button", { name: "Approve" }).click();
    await chat.answer.getByText("The clerk is done.").waitFor();
    await clerk.getByText("output-available").waitFor();
    await refund.getByText("output-available").waitFor();
    await chat.settle();
    assert.deepEqual(refunded, ["7", "9"]);
    assert.equal(await page.getByText("Inside.").count(), 0, "the text of the child run stays inside");
    assert.equal(await page.getByRole("region", { name: "lookUp" }).count(), 0);
  });
  console.log(`use-chat: 3 scenarios passed on ${process.version} with Chromium ${browser.version()}`);
} finally {
  await browser?.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}

/** Runs one scenario on a page of its own, and fails it for anything the page complains about. */
async function scenario(name, address, steps) {
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  try {
    await page.goto(address);
    await steps(page, {
      answer: page.getByRole("listitem", { name: "assistant" }),
      status: () => page.getByRole("status").and(page.locator("p")).textContent(),
      settle: () => page.getByText("ready", { exact: true }).waitFor(),
      say: async (text) => {
        await page.getByLabel("Message").fill(text);
        await page.getByRole("button", { name: "Send" }).click();
      },
    });
    assert.deepEqual(complaints, []);
    console.log(`use-chat: ${name}`);
  } catch (error) {
    console.error(`use-chat: ${name}: failed. The page then:\n${await page.locator("body").ariaSnapshot()}`);
    console.error(complaints.join("\n"));
    throw error;
  } finally {
    await page.close();
  }
}

async function respond(request, response) {
  const url = new URL(request.url, "http://127.0.0.1");
  if (request.method === "POST" && url.pathname === "/api/chat") {
    const body = Readable.toWeb(request);
    const answer = await POST(new Request(url, { method: "POST", body, duplex: "half" }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    return pipeline(Readable.fromWeb(answer.body), response);
  }
  const file = join(folder, normalize(url.pathname === "/" ? "/index.html" : url.pathname));
  if (!file.startsWith(folder) || !existsSync(file)) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": contentTypes[extname(file)] ?? "application/octet-stream" });
  response.end(await readFile(file));
}

function fail(message) {
  console.error(`use-chat: ${message}`);
  process.exit(1);
}
