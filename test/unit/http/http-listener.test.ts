import { mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { BearerTokens, type HttpCall, HttpError, jsonAnswer, type Operation } from "../../../src/http/index.ts";
import { FieldError, JsonSyntaxError } from "../../../src/json/index.ts";
import { Listeners, roomyLimits, send, sendRaw } from "./support.ts";

const json = { "content-type": "application/json" };

function operation(fields: Partial<Operation> & Pick<Operation, "handle">): Operation {
  return {
    method: "GET",
    path: "/thing",
    id: "thing",
    tag: "test",
    summary: "",
    access: "token",
    answers: {},
    ...fields,
  };
}

const echo = operation({
  method: "POST",
  path: "/echo/{name}",
  id: "echo",
  body: {},
  handle: ({ params, query, body }) =>
    jsonAnswer(200, JSON.stringify({ name: params["name"], q: query.get("q"), body: body.toString() })),
});

let listeners: Listeners;
let folder: string;

beforeEach(async () => {
  listeners = new Listeners();
  folder = await mkdtemp(join(tmpdir(), "pointsman-http-"));
});

afterEach(async () => {
  await listeners.closeAll();
  await rm(folder, { recursive: true });
});

describe("HttpListener", () => {
  it("hands an operation its parameters, query and body, and answers JSON", async () => {
    const { address } = await listeners.start([echo]);
    const answer = await send(address, { method: "POST", path: "/echo/a%2Fb?q=1", headers: json, body: "{}" });
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(JSON.parse(answer.text)).toEqual({ name: "a/b", q: "1", body: "{}" });
    expect(listeners.answered).toEqual([{ id: "echo", status: 200 }]);
  });

  it("answers an unknown path 404 and another method 405 with the allowed ones, in the envelope", async () => {
    const { address } = await listeners.start([echo, operation({ handle: () => jsonAnswer(200, "1") })]);
    const missing = await send(address, { method: "POST", path: "/nothing", body: "x".repeat(10) });
    expect({ status: missing.status, ...JSON.parse(missing.text) }).toEqual({
      status: 404,
      code: "not_found",
      error: "route not found",
    });
    const wrong = await send(address, { method: "PUT", path: "/thing", body: "x" });
    expect({ status: wrong.status, ...JSON.parse(wrong.text) }).toMatchObject({
      status: 405,
      code: "method_not_allowed",
    });
    expect(wrong.headers.allow).toBe("GET, HEAD");
    expect((await send(address, { method: "HEAD", path: "/thing" })).status).toBe(200);
  });

  it.each([
    {
      thrown: new RoutingError("`a` must be b", { code: "invalid_request", field: "a" }),
      status: 400,
      code: "invalid_request",
      field: "a",
    },
    { thrown: new FieldError("must be a string", "x[1]"), status: 422, code: "unprocessable", field: "x[1]" },
    { thrown: new JsonSyntaxError("a JSON value expected", 7), status: 400, code: "invalid_request" },
    { thrown: new RoutingError("none", { code: "no_endpoints" }), status: 503, code: "no_endpoints", retryAfter: "1" },
    {
      thrown: new RoutingError("full", { code: "saturated", retryAfterSeconds: 9 }),
      status: 429,
      code: "saturated",
      retryAfter: "9",
    },
    { thrown: new HttpError(403, "forbidden", "no"), status: 403, code: "forbidden" },
  ])("answers $code as $status", async ({ thrown, status, code, field, retryAfter }) => {
    const failing = operation({
      handle: () => {
        throw thrown;
      },
    });
    const { address } = await listeners.start([failing]);
    const answer = await send(address, { path: "/thing" });
    expect({ status: answer.status, ...JSON.parse(answer.text) }).toMatchObject({
      status,
      code,
      ...(field && { field }),
    });
    expect(answer.headers["retry-after"]).toBe(retryAfter);
    expect(listeners.errors).toEqual([]);
  });

  it("logs a fault of its own and tells the client nothing of it", async () => {
    const failing = operation({ handle: () => Promise.reject(new Error("secret of the core")) });
    const { address } = await listeners.start([failing]);
    const answer = await send(address, { path: "/thing" });
    expect({ status: answer.status, ...JSON.parse(answer.text) }).toMatchObject({ status: 500, code: "internal" });
    expect(answer.text).not.toContain("secret");
    expect(listeners.errors).toHaveLength(1);
  });

  it.each([undefined, "text/plain", "application/jsonx", "text/json"])(
    "refuses a body of content type %s",
    async (type) => {
      const { address } = await listeners.start([echo]);
      const headers = type === undefined ? {} : { "content-type": type };
      expect((await send(address, { method: "POST", path: "/echo/a", headers, body: "{}" })).status).toBe(415);
    },
  );

  it.each(["application/json; charset=utf-8", "application/vnd.x+json", "Application/JSON"])(
    "takes %s",
    async (type) => {
      const { address } = await listeners.start([echo]);
      const sent = { method: "POST", path: "/echo/a", headers: { "content-type": type }, body: "{}" };
      expect((await send(address, sent)).status).toBe(200);
    },
  );

  it("does not look at a body where the operation takes none", async () => {
    const { address } = await listeners.start([
      operation({ method: "DELETE", handle: ({ body }) => jsonAnswer(200, String(body.length)) }),
    ]);
    expect(
      await send(address, { method: "DELETE", path: "/thing", headers: { "content-length": "1" }, body: "x" }),
    ).toMatchObject({ status: 200, text: "0" });
  });
});

describe("limits", () => {
  it("refuses a body over the limit, announced or not, and takes one of exactly the limit", async () => {
    const { address } = await listeners.start([echo], { limits: { ...roomyLimits, maxBodyBytes: 100 } });
    const sent = (body: string) => send(address, { method: "POST", path: "/echo/a", headers: json, body });
    expect((await sent("x".repeat(100))).status).toBe(200);
    const answer = await sent("x".repeat(101));
    expect({ status: answer.status, ...JSON.parse(answer.text) }).toMatchObject({
      status: 413,
      code: "body_too_large",
    });
    const chunk = "x".repeat(101);
    const chunked = await sendRaw(
      address,
      `POST /echo/a HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n65\r\n${chunk}\r\n0\r\n\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1.1 413 /);
  });

  it("refuses what would hold too many bytes or requests, and takes more when others have ended", async () => {
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const slow = operation({
      method: "POST",
      body: {},
      handle: async ({ body }: HttpCall) => {
        if (body.toString() === "wait") {
          started.resolve();
          await gate.promise;
        }
        return jsonAnswer(200, "1");
      },
    });
    const { address } = await listeners.start([slow], { limits: { ...roomyLimits, maxRequests: 1 } });
    const sent = (body: string) => send(address, { method: "POST", path: "/thing", headers: json, body });
    const waiting = sent("wait");
    await started.promise;
    expect((await sent("x")).status).toBe(429);
    gate.resolve();
    expect((await waiting).status).toBe(200);
    await expect.poll(async () => (await sent("x")).status).toBe(200);
  });

  it("frees the bytes of bodies that were answered, refused and left", async () => {
    const limits = { ...roomyLimits, maxBodyBytes: 1_000, maxHeldBodyBytes: 1_500 };
    const { address } = await listeners.start([echo], { limits });
    const sent = (length: number) =>
      send(address, { method: "POST", path: "/echo/a", headers: json, body: "x".repeat(length) });
    for (let i = 0; i < 5; i++) {
      expect((await sent(1_000)).status).toBe(200);
      expect((await sent(1_001)).status).toBe(413);
      await sendRaw(
        address,
        `POST /echo/a HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\nabc`,
      );
    }
    expect((await sent(1_000)).status).toBe(200);
  });

  it("answers a request that comes too slowly 408, and what is no HTTP 400", async () => {
    const { address } = await listeners.start([echo], {
      limits: { ...roomyLimits, headersTimeoutMs: 100, requestTimeoutMs: 200 },
    });
    expect(await sendRaw(address, "POST /echo/a HTTP/1.1\r\nhost: x\r\n")).toMatch(
      /^HTTP\/1.1 408 .*"code":"request_timeout"/s,
    );
    expect(await sendRaw(address, "nonsense\r\n\r\n")).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_request"/s);
    expect(await sendRaw(address, `GET /thing HTTP/1.1\r\nhost: x\r\na: ${"y".repeat(40_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 /,
    );
  });
});

describe("a body's memory", () => {
  it.each([
    { name: "is used again after the answer", keeps: false },
    { name: "stays as it is where the operation has kept it", keeps: true },
  ])("$name", async ({ keeps }) => {
    const bodies: Buffer[] = [];
    const keeping = operation({
      method: "POST",
      body: {},
      handle: (call) => {
        bodies.push(call.body);
        if (keeps) call.keepBody();
        return jsonAnswer(200, "true");
      },
    });
    const { address } = await listeners.start([keeping]);
    const headers = { "content-type": "application/json" };
    for (const letter of ["a", "b"]) {
      await send(address, { method: "POST", path: "/thing", headers, body: letter.repeat(8_000) });
    }
    expect(bodies[1]?.toString()).toBe("b".repeat(8_000));
    expect(bodies[0]?.toString()).toBe((keeps ? "a" : "b").repeat(8_000));
  });
});

describe("tokens", () => {
  const open = operation({
    path: "/open",
    id: "open",
    access: "open",
    handle: ({ isAuthorized }) => jsonAnswer(200, String(isAuthorized)),
  });
  const closed = operation({ handle: () => jsonAnswer(200, "true") });

  it("asks for one of the file's tokens where the operation needs it, before the body is read", async () => {
    const file = join(folder, "tokens");
    await writeFile(file, "# rotated on Monday\nfirst-token\n\nsecond-token\r\n");
    const { address } = await listeners.start([open, closed], { tokens: await BearerTokens.read(file) });
    const status = async (authorization?: string) =>
      (await send(address, { path: "/thing", headers: authorization === undefined ? {} : { authorization } })).status;
    expect(await status()).toBe(401);
    for (const wrong of ["Bearer wrong-token", "Bearer first-toke", "Basic first-token", "Bearer", "first-token", ""]) {
      expect(await status(wrong)).toBe(401);
    }
    expect(await status("Bearer first-token")).toBe(200);
    expect(await status("bearer second-token")).toBe(200);
    expect((await send(address, { path: "/open" })).text).toBe("false");
    expect((await send(address, { path: "/open", headers: { authorization: "Bearer first-token" } })).text).toBe(
      "true",
    );
  });

  it("takes other tokens when the file changes, and keeps the old ones while it cannot be used", async () => {
    const file = join(folder, "tokens");
    await writeFile(file, "old-token\n");
    const tokens = await BearerTokens.read(file);
    const lines: string[] = [];
    const note = (_fields: object, message: string) => lines.push(message);
    tokens.watch(file, 5, { info: note, error: note });
    try {
      await writeFile(file, "");
      await expect.poll(() => lines).toContain("http: cannot reload the tokens, keeping the old ones");
      expect(tokens.accepts("Bearer old-token")).toBe(true);
      await writeFile(`${file}.new`, "new-token\n");
      await rename(`${file}.new`, file);
      await expect.poll(() => lines).toContain("http: new tokens");
      expect([tokens.accepts("Bearer old-token"), tokens.accepts("Bearer new-token")]).toEqual([false, true]);
      expect(JSON.stringify(lines)).not.toContain("new-token");
    } finally {
      tokens.close();
    }
  });

  it.each(["", "\n# only this\n", "with space inside", "ünicode", "t\n".repeat(257), "#".repeat(2_097_153)])(
    "refuses a file that holds no usable token, too many or too much: %.40j",
    async (content) => {
      const file = join(folder, "tokens");
      await writeFile(file, content);
      await expect(BearerTokens.read(file)).rejects.toThrow(file);
    },
  );
});

describe("Unix socket", () => {
  it("listens on a path that only its owner can open, takes over a dead socket and leaves nothing behind", async () => {
    const path = join(folder, "api.sock");
    const listener = await listeners.start([echo], { address: { kind: "unix", path, mode: 0o600 } });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await send(path, { method: "POST", path: "/echo/a", headers: json, body: "{}" })).status).toBe(200);
    await expect(listeners.start([echo], { address: { kind: "unix", path, mode: undefined } })).rejects.toThrow(
      "another process listens",
    );
    await listener.close(0);
    await expect(stat(path)).rejects.toThrow("ENOENT");
  });

  it("never removes a file that is no socket", async () => {
    const path = join(folder, "precious");
    await writeFile(path, "data");
    await expect(listeners.start([echo], { address: { kind: "unix", path, mode: undefined } })).rejects.toThrow(
      "no socket",
    );
    expect((await stat(path)).size).toBe(4);
  });

  it("takes the place of a socket whose process is gone", async () => {
    const path = join(folder, "left.sock");
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once("listening", resolve));
    // A server that is cut off from its path leaves a socket that nobody answers.
    const moved = join(folder, "moved.sock");
    const { link, unlink } = await import("node:fs/promises");
    await link(path, moved);
    await new Promise((resolve) => server.close(resolve));
    await link(moved, path).catch(() => undefined);
    await unlink(moved);
    await listeners.start([echo], { address: { kind: "unix", path, mode: undefined } });
    expect((await send(path, { method: "POST", path: "/echo/a", headers: json, body: "{}" })).status).toBe(200);
  });
});

describe("close", () => {
  it("lets a running request end and refuses new connections", async () => {
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const slow = operation({
      handle: async () => {
        started.resolve();
        await gate.promise;
        return jsonAnswer(200, "1");
      },
    });
    const listener = await listeners.start([slow]);
    const { address } = listener;
    const running = send(address, { path: "/thing" });
    await started.promise;
    const closed = listener.close(10_000);
    await expect
      .poll(() =>
        send(address, { path: "/thing" }).then(
          () => "served",
          () => "refused",
        ),
      )
      .toBe("refused");
    gate.resolve();
    expect((await running).status).toBe(200);
    await closed;
  });

  it("cuts what has not ended in time, and its signal aborts", async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const endless = operation({
      handle: (call) => {
        started.resolve(call.signal);
        return new Promise(() => undefined);
      },
    });
    const listener = await listeners.start([endless]);
    const running = send(listener.address, { path: "/thing" });
    const signal = await started.promise;
    const ended = expect(running).rejects.toThrow();
    await listener.close(20);
    await ended;
    await expect.poll(() => signal.aborted).toBe(true);
  });
});
