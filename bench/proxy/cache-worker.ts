// A worker with a prefix cache of its own, as vLLM keeps one: whole blocks of the prompt's text, the least recently used are dropped. Prints its port.
import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promptText } from "./prompt-text.ts";

const blockLetters = 64;
const maxBlocks = Number(process.argv[2] ?? 2_000);
/** Time for a request, and for each block that is not cached, ms; one request after the other, as prompts are computed. */
const baseMs = 2;
const blockMs = 0.15;
let freeAtMs = 0;

/** Hashes of blocks with all before them, the least recently used first. */
const cache = new Set<string>();
const counts = { requests: 0, blocks: 0, cached: 0 };
let isDown = false;

function take(text: string): number {
  let chain = "";
  let isCached = true;
  let missing = 0;
  for (let at = 0; at + blockLetters <= text.length; at += blockLetters) {
    chain = createHash("sha1")
      .update(chain)
      .update(text.slice(at, at + blockLetters))
      .digest("base64");
    isCached &&= cache.delete(chain);
    cache.delete(chain);
    cache.add(chain);
    counts.blocks++;
    if (isCached) counts.cached++;
    else missing++;
  }
  for (const oldest of cache) {
    if (cache.size <= maxBlocks) break;
    cache.delete(oldest);
  }
  return missing;
}

const chat = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "qwen3",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "qwen3",
  content: [{ type: "text", text: "ok" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};

const prompts: ReadonlySet<string> = new Set(["/v1/chat/completions", "/v1/messages"]);

function answer(response: ServerResponse, body: object): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(body));
}

const server = createServer({ noDelay: true }, async (request, response) => {
  if (request.url === "/restart") {
    cache.clear();
    isDown = true;
    setTimeout(() => {
      isDown = false;
    }, 300);
    answer(response, {});
    return;
  }
  if (request.url === "/counts") {
    answer(response, counts);
    return;
  }
  if (isDown) {
    request.socket.resetAndDestroy();
    return;
  }
  if (request.url === "/v1/models") {
    answer(response, { object: "list", data: [{ id: "qwen3", object: "model", created: 1, owned_by: "x" }] });
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  // vllm-router has every worker render each prompt (`/v1/chat/completions/render`) before it chooses: those are no requests.
  if (request.method === "GET" || !prompts.has(request.url ?? "")) {
    answer(response, {});
    return;
  }
  const missing = take(promptText(JSON.parse(Buffer.concat(chunks).toString())));
  counts.requests++;
  freeAtMs = Math.max(freeAtMs, performance.now()) + baseMs + missing * blockMs;
  const body = request.url === "/v1/messages" ? message : chat;
  setTimeout(() => answer(response, body), freeAtMs - performance.now());
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
