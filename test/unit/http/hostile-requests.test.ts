import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonAnswer, type Operation } from "../../../src/http/index.ts";
import { Listeners, send, sendRaw } from "./support.ts";

const common = { tag: "test", summary: "", access: "token", answers: {} } as const;
const get: Operation = {
  ...common,
  method: "GET",
  path: "/thing/{id}",
  id: "get",
  handle: () => jsonAnswer(200, "true"),
};
const post: Operation = {
  ...common,
  method: "POST",
  path: "/thing",
  id: "post",
  body: {},
  handle: ({ body }) => jsonAnswer(200, String(body.length)),
};

let listeners: Listeners;
let address = "";
beforeEach(async () => {
  listeners = new Listeners();
  ({ address } = await listeners.start([get, post]));
});
afterEach(() => listeners.closeAll());

const head = (more = "") =>
  `POST /thing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n${more}\r\n`;

describe("a path that cannot be read", () => {
  it.each([
    { name: "an escape that is none", path: "/thing/%zz", status: 400 },
    { name: "bytes that are no UTF-8", path: "/thing/%ff%fe", status: 400 },
    { name: "a lone surrogate", path: "/thing/%ED%A0%80", status: 400 },
    { name: "a part that is too long", path: `/thing/${"secret".repeat(1_000)}`, status: 414 },
  ])("is answered in the envelope, and not repeated: $name", async ({ path, status }) => {
    const answer = await send(address, { path });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({ error: expect.any(String), code: "invalid_request" });
    expect(answer.text).not.toContain("secret");
  });
});

it.each([
  ["codings besides chunks", "HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked", 501],
  ["no host", "HTTP/1.1\r\ntransfer-encoding: chunked", 400],
  ["two hosts", "HTTP/1.1\r\nhost: x\r\nHost: y\r\ntransfer-encoding: chunked", 400],
  ["a version of another protocol", "HTTP/2.0\r\nhost: x\r\ntransfer-encoding: chunked", 505],
])("%s are refused, and nothing behind them is read", async (_name, rest, status) => {
  const bytes = `POST /thing ${rest}\r\ncontent-type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
  const answers = await sendRaw(address, `${bytes}${head("content-length: 2\r\n")}{}`);
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
});

it.each([
  ["two hosts and an expectation", "/thing", "host: x\r\nhost: y\r\nexpect: a", 400],
  ["two hosts and an invitation awaited", "/thing", "host: x\r\nhost: y\r\nexpect: 100-continue", 400],
  ["two hosts and an offer to upgrade", "/thing", "host: x\r\nhost: y\r\nconnection: upgrade\r\nupgrade: h2c", 400],
  ["two hosts and a path that is none", "/thing/%zz", "host: x\r\nhost: y", 400],
  ["an expectation", "/thing", "host: x\r\nexpect: a", 417],
  ["no expectation in its line", "/thing", "host: x\r\nexpect:", 417],
  ["an expectation beside an invitation", "/thing", "host: x\r\nexpect: 100-continue, a", 417],
])(
  "%s: refused by whatever event of Node's it comes, and nothing behind it is read",
  async (_name, path, lines, status) => {
    const bytes = `POST ${path} HTTP/1.1\r\n${lines}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
    const answers = await sendRaw(address, `${bytes}${head("content-length: 2\r\n")}{}`);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(JSON.parse(answers.slice(answers.indexOf("{")))).toEqual({
      error: expect.any(String),
      code: "invalid_request",
    });
    expect(listeners.answered).toEqual([]);
  },
);

it("a tunnel asked for ends the connection", async () => {
  const tunnel = "CONNECT x:1 HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n";
  expect(await sendRaw(address, `${tunnel}${head("content-length: 2\r\n")}{}`)).toBe("");
});

it("an invitation that is awaited is given", async () => {
  const answers = await sendRaw(address, `${head("content-length: 2\r\nexpect: 100-Continue\r\n")}{}`);
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 100", "HTTP/1.1 200"]);
});

describe("a body", () => {
  it.each(["gzip", "br", "identity, gzip", "x"])("with the content encoding %s is refused", async (encoding) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    const answer = await send(address, { method: "POST", path: "/thing", headers, body: "{}" });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([415, "unsupported_media_type"]);
  });

  it("may say that it is not encoded", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "identity" };
    expect((await send(address, { method: "POST", path: "/thing", headers, body: "{}" })).text).toBe("2");
  });

  it("in thousands of tiny pieces is refused before it has ended; a few thousand are read", async () => {
    const chunked = head("transfer-encoding: chunked\r\n");
    const answer = await sendRaw(address, `${chunked}${"1\r\n{\r\n".repeat(50_000)}`);
    expect(answer).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_request"/s);
    expect(await sendRaw(address, `${chunked}${"1\r\n{\r\n".repeat(4_000)}0\r\n\r\n`)).toMatch(/\r\n\r\n4000$/);
    const larger = "14\r\n01234567890123456789\r\n".repeat(10_000);
    expect(await sendRaw(address, `${chunked}${larger}0\r\n\r\n`)).toMatch(/\r\n\r\n200000$/);
  });

  it("that breaks off is no fault of the service, and not logged as one", async () => {
    const [host = "", port] = address.split(":");
    for (const begun of [head("content-length: 100\r\n"), head("transfer-encoding: chunked\r\n")]) {
      const socket = connect(Number(port), host);
      await once(socket, "connect");
      socket.write(`${begun}5\r\n`);
      await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0);
      socket.resetAndDestroy();
    }
    await expect.poll(() => listeners.answered.filter(({ id }) => id === "post")).toHaveLength(2);
    expect(listeners.answered.map(({ status }) => status)).toEqual([400, 400]);
    expect(listeners.errors).toEqual([]);
  });
});

describe("requests that do not wait for answers", () => {
  const whole = "GET /thing/1 HTTP/1.1\r\nhost: x\r\n\r\n";
  const body =
    "POST /thing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";

  it.each([
    { name: "something that is no request", behind: "nonsense\r\n\r\n" },
    { name: "one whose body is none", behind: `${body}zz\r\n` },
    {
      name: "one with headers that are too long",
      behind: `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`,
    },
  ])("are answered before $name behind them, and nothing after it is", async ({ behind }) => {
    const answers = await sendRaw(address, `${whole}${whole}${behind}${whole}`);
    const statuses = answers.match(/HTTP\/1.1 \d+/g) ?? [];
    expect(statuses.slice(0, 2)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    expect(statuses.slice(2)).toEqual([expect.stringMatching(/ (400|431)$/)]);
    expect(listeners.answered.map(({ status }) => status)).not.toContain(500);
  });

  it("have no answer to a body that cannot be read in the place of the next one's", async () => {
    const answered = "GET /thing/1 HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    const answers = await sendRaw(address, `${answered}${whole}`);
    expect((answers.match(/HTTP\/1.1 \d+/g) ?? []).length).toBeLessThanOrEqual(1);
  });

  it("end their connection when there are very many", async () => {
    const flood = "GET /thing/1 HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2_000);
    await sendRaw(address, flood).catch(() => "");
    expect(listeners.answered.length).toBeLessThan(20);
    expect((await send(address, { path: "/thing/1" })).status).toBe(200);
  });

  it("are answered when there are a few", async () => {
    const few = "GET /thing/1 HTTP/1.1\r\nhost: x\r\n\r\n".repeat(9);
    const last = "GET /thing/1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    const answers = await sendRaw(address, few + last);
    expect(answers.match(/HTTP\/1.1 200/g)).toHaveLength(10);
  });

  it("count while they are under way only", async () => {
    const [host = "", port] = address.split(":");
    const socket = connect(Number(port), host);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    for (let i = 1; i <= 40; i++) {
      socket.write("GET /thing/1 HTTP/1.1\r\nhost: x\r\n\r\n");
      await expect.poll(() => received.match(/HTTP\/1.1 200/g)?.length).toBe(i);
    }
    socket.destroy();
  });
});
