// An instant worker: the least that answers like one, in a process of its own. Prints its port.
import { createServer, type Socket } from "node:net";

const tokens = Number(process.argv[2] ?? 16);
const json = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "qwen3",
  choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(tokens) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens },
});
const whole = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;
const models = JSON.stringify({ object: "list", data: [{ id: "qwen3", object: "model", created: 1, owned_by: "x" }] });
const list = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${models.length}\r\n\r\n${models}`;
const healthy = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const unknown = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
const streamHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const event = chunkOf(
  'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"qwen3","choices":[{"index":0,"delta":{"content":"word "}}]}\n\n',
);
const end = `${chunkOf("data: [DONE]\n\n")}0\r\n\r\n`;

function chunkOf(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function answer(socket: Socket, head: string, body: Buffer): void {
  if (head.startsWith("GET /health")) socket.write(healthy);
  else if (head.startsWith("GET /v1/models")) socket.write(list);
  else if (head.startsWith("GET ")) socket.write(unknown);
  else if (!body.includes('"stream":true')) socket.write(whole);
  // Held open until the client leaves.
  else if (body.includes('"hold":"yes"')) socket.write(streamHead + event);
  else socket.write(streamHead + event.repeat(tokens) + end);
}

const server = createServer({ noDelay: true }, (socket) => {
  let received: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    for (;;) {
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const head = received.toString("latin1", 0, headEnd);
      const bodyEnd = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < bodyEnd) return;
      answer(socket, head, received.subarray(headEnd + 4, bodyEnd));
      received = received.subarray(bodyEnd);
    }
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" && address !== null ? address.port : address);
});
