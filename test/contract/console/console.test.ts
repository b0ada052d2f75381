import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import type { ConsoleState, ExplainedPick } from "../../../src/surface/admin/index.ts";
import { pickOf, stateOf } from "../../support/console/states.ts";
import { type ReadEvent, TestConsole } from "./running-console.ts";

const explained = JSON.parse(
  readFileSync(new URL("../../fixtures/admin/pick.json", import.meta.url), "utf8"),
) as ExplainedPick;

let running: TestConsole;
const left: AbortController[] = [];

async function start(settings?: Readonly<Record<string, unknown>>): Promise<TestConsole> {
  running = await TestConsole.start(settings);
  return running;
}

/** A reader that the test ends at its end at the latest. */
function reader(headers?: Readonly<Record<string, string>>) {
  const stop = new AbortController();
  left.push(stop);
  return { events: running.events(stop.signal, headers), leave: () => stop.abort() };
}

async function next(events: AsyncGenerator<ReadEvent>): Promise<ReadEvent> {
  const { value, done } = await events.next();
  if (done === true) throw new Error("the events have ended");
  return value;
}

async function nextOf(events: AsyncGenerator<ReadEvent>, name: string): Promise<ReadEvent> {
  for (;;) {
    const event = await next(events);
    if (event.event === name) return event;
  }
}

afterEach(async () => {
  for (const stop of left.splice(0)) stop.abort();
  await running.close();
});

describe("the page", () => {
  it("is at the root, with headers that let nothing of others in, nor it into others", async () => {
    await start();
    const { status, headers, text: body } = await running.call("/");
    expect(status).toBe(200);
    expect(body).toContain("<!doctype html>");
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("is not sent again to who has it", async () => {
    await start();
    const { headers } = await running.call("/");
    const again = await running.call("/", { headers: { "if-none-match": String(headers["etag"]) } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("names only files that are there, each with a type", async () => {
    await start();
    const { text: body } = await running.call("/");
    const names = [...body.matchAll(/(?:href|src)="(\/?assets\/[^"]+)"/g)].map(([, name]) =>
      `/${name}`.replace("//", "/"),
    );
    expect(names).not.toEqual([]);
    for (const name of names) {
      const { status, headers } = await running.call(name);
      expect([name, status, headers["content-type"]]).toEqual([name, 200, expect.any(String)]);
    }
  });

  it.each([
    "/assets/../index.html",
    "/assets/%2e%2e/page-files.ts",
    "/assets/",
    "/assets/missing.js",
    "/index.html",
    "/x",
  ])("is nothing but its files: %s", async (path) => {
    await start();
    const socket = running.raw(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 [\s\S]*{"error":{"code":"not_found"/);
  });
});

describe("the state", () => {
  it("is the whole one, and no cache keeps it", async () => {
    await start();
    const { status, headers, text: body } = await running.call("/api/state");
    expect([status, headers["cache-control"], headers["content-type"]]).toEqual([200, "no-store", "application/json"]);
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(stateOf({ nowAtMs: 1 }))));
  });

  it.each(["/api/state", "/api/picks"])("does not wait for ever for who reads nothing of it: %s", async (path) => {
    await start({ clientStallTimeoutMs: 300, maxReaders: 1, maxConnections: 2 });
    const long = Array.from({ length: 40_000 }, (_, i) => pickOf(String(i), { requestId: "r".repeat(128) }));
    running.source.changes = { picks: long };
    running.source.kept = long;
    const sockets = [1, 2].map(() => running.raw(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).pause());
    const another = () =>
      running.call("/").then(
        ({ status }) => status,
        () => "no connection",
      );
    await expect.poll(another).toBe("no connection");
    await expect.poll(another, { timeout: 5_000 }).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it("that cannot be made is an error that tells nothing of the inside", async () => {
    await start();
    running.source.fails = true;
    const { status, text: body } = await running.call("/api/state");
    expect([status, body]).toEqual([500, '{"error":{"code":"internal","message":"the request could not be served"}}']);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"] as const)("is not for %s", async (method) => {
    await start();
    const { status, headers } = await running.call("/api/state", { method });
    expect([status, headers["allow"]]).toEqual([405, "GET, HEAD"]);
  });
});

describe("live events", () => {
  it("are the state at once, and then again and again", async () => {
    await start();
    const { events } = reader();
    const states = [await nextOf(events, "state"), await nextOf(events, "state"), await nextOf(events, "state")];
    const numbers = states.map(({ data }) => (data as ConsoleState).nowAtMs);
    expect(numbers).toEqual([1, 2, 3]);
  });

  it("tell of new decisions, and how many were too many", async () => {
    await start();
    running.source.changes = { picks: [pickOf("2"), pickOf("1")] };
    const { events } = reader();
    await next(events);
    running.source.changes = { picks: [pickOf("9"), pickOf("8")] };
    expect(await nextOf(events, "pick")).toMatchObject({ data: { id: "8" } });
    expect(await next(events)).toMatchObject({ event: "pick", data: { id: "9" } });
    expect(await next(events)).toEqual({ event: "picks-left-out", data: { count: 5 } });
  });

  it("are made for nobody once the reader has left, who makes room for another", async () => {
    await start({ maxReaders: 1 });
    const first = reader();
    await next(first.events);
    expect(running.readers).toBe(1);
    const refused = await running.call("/api/events");
    expect([refused.status, JSON.parse(refused.text).error.code, refused.headers["retry-after"]]).toEqual([
      429,
      "saturated",
      "5",
    ]);
    expect(running.refusals).toEqual(["readers"]);
    first.leave();
    await expect.poll(() => running.readers).toBe(0);
    const { made } = running.source;
    expect((await next(reader().events)).event).toBe("state");
    expect(running.source.made).toBeLessThanOrEqual(made + 1);
  });

  it("go on for who takes them, where a state and its decisions are much only together", async () => {
    await start({ clientStallTimeoutMs: 500 });
    // Each is less than what a socket takes at once, 64 KB; both are more.
    const picks = (round: number) =>
      Array.from({ length: 70 }, (_, i) => pickOf(String(1_000 * round - i), { requestId: "r".repeat(500) }));
    const { events } = reader();
    for (let round = 1; round <= 3; round++) {
      running.source.changes = { picks: picks(round), workers: [] };
      await nextOf(events, "state");
    }
    expect(JSON.stringify({ ...stateOf({ workers: [] }), picks: picks(1) }).length).toBeLessThan(65_536);
    expect(2 * JSON.stringify(picks(1)).length).toBeGreaterThan(65_536);
  });

  it("of a reader that takes nothing are cut, and hold one state at most", async () => {
    await start({ clientStallTimeoutMs: 300, maxReaders: 1 });
    // A state far larger than what the sockets hold.
    const long = Array.from({ length: 40_000 }, (_, i) => pickOf(String(i), { requestId: "r".repeat(128) }));
    running.source.changes = { picks: long };
    const socket = running.raw("GET /api/events HTTP/1.1\r\nhost: localhost\r\n\r\n");
    socket.pause();
    await expect.poll(() => running.readers).toBe(1);
    const { made } = running.source;
    await expect.poll(() => running.readers).toBe(0);
    expect(running.source.made).toBeLessThanOrEqual(made + 1);
    socket.destroy();
  });

  it("end when the console does", async () => {
    await start();
    const { events } = reader();
    await next(events);
    const rest = (async () => {
      for await (const _event of events);
      return "ended";
    })();
    await running.close();
    expect(await rest).toBe("ended");
  });

  it("end where no state can be made any more", async () => {
    await start();
    const { events } = reader();
    await next(events);
    running.source.fails = true;
    await expect(nextOf(events, "never")).rejects.toThrow();
    await expect.poll(() => running.readers).toBe(0);
  });

  it("are not for HEAD", async () => {
    await start();
    expect((await running.call("/api/events", { method: "HEAD" })).status).toBe(405);
  });
});

describe("decisions", () => {
  it("are listed as they are asked for", async () => {
    await start();
    running.source.kept = [pickOf("3")];
    const { text: body } = await running.call("/api/picks?limit=7&requestId=abc");
    expect(JSON.parse(body)).toEqual({ picks: [JSON.parse(JSON.stringify(pickOf("3")))] });
    await running.call("/api/picks");
    expect(running.source.asked).toEqual([
      [7, "abc"],
      [50, undefined],
    ]);
  });

  it.each(["0", "1001", "-1", "x", "", "1e3", "99999999999999"])("cannot be %s at most", async (limit) => {
    await start();
    const { status, text: body } = await running.call(`/api/picks?limit=${limit}`);
    expect([status, JSON.parse(body).error]).toEqual([
      400,
      { code: "invalid_request", message: "limit must be a whole number from 1 to 1000" },
    ]);
  });

  it("are explained", async () => {
    await start();
    running.source.explained = explained;
    const { status, text: body } = await running.call(`/api/picks/${explained.id}`);
    expect([status, JSON.parse(body)]).toEqual([200, explained]);
    running.source.explained = { ...explained, id: "2-17" };
    expect((await running.call("/api/picks/2-17")).status).toBe(200);
  });

  it.each(["5", "x", "1-2-3", "-1", "1e3", "%2e%2e", "9".repeat(400)])("are not there: %s", async (id) => {
    await start();
    const { status, text: body } = await running.call(`/api/picks/${id}`);
    expect([status, JSON.parse(body).error.code]).toEqual([404, "not_found"]);
  });
});

const paths = ["/api/state", "/api/events", "/api/picks", "/api/picks/1"];

describe("who may look", () => {
  const token = "a-token-of-some-length";
  const hash = createHash("sha256").update(token).digest("hex");

  it("needs a token where one is set, and sees the page without", async () => {
    await start({ tokenHashes: hash });
    for (const path of paths) {
      for (const headers of [{}, { authorization: "Bearer other" }, { authorization: token }]) {
        const { status, headers: answered, text: body } = await running.call(path, { headers });
        expect([status, answered["www-authenticate"], JSON.parse(body).error.code]).toEqual([
          401,
          "Bearer",
          "unauthorized",
        ]);
      }
    }
    expect(running.refusals).toEqual(Array.from({ length: 12 }, () => "token"));
    expect((await running.call("/")).status).toBe(200);
    const headers = { authorization: `Bearer ${token}` };
    expect((await running.call("/api/state", { headers })).status).toBe(200);
    expect((await next(reader(headers).events)).event).toBe("state");
  });

  it("may have one of a file, beside those that are told", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "console-")), "tokens");
    await writeFile(file, "# for people\none-token\nother-token\n");
    await start({ tokenFile: file, tokenHashes: hash });
    for (const each of ["one-token", "other-token", token]) {
      const { status } = await running.call("/api/state", { headers: { authorization: `Bearer ${each}` } });
      expect([each, status]).toEqual([each, 200]);
    }
    expect((await running.call("/api/state", { headers: { authorization: "Bearer # for people" } })).status).toBe(401);
  });

  it("learns at the start which file cannot be used", async () => {
    await start();
    await expect(TestConsole.start({ tokenFile: "/nowhere/tokens" })).rejects.toThrow(/^admin\.tokenFile: .*nowhere/);
  });

  it.each([
    ["evil.example", "add evil.example to admin.allowedHosts"],
    ["Evil.example.:9099", "add evil.example to admin.allowedHosts"],
    ["169.254.169.254", "add 169.254.169.254 to admin.allowedHosts"],
    ["a<b>", "see the setting admin.allowedHosts"],
  ])("does not call it %s", async (host, advice) => {
    await start();
    for (const path of ["/", ...paths]) {
      const socket = running.raw(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 421 /);
      expect(answer).toContain(`the console is not called by this name: ${advice}"`);
    }
  });

  it("may call it by the names that are allowed", async () => {
    await start({ allowedHosts: ["console.example.com"] });
    for (const host of ["console.example.com", "localhost:1234", "127.0.0.1", "[::1]:80"]) {
      expect([host, (await running.call("/api/state", { headers: { host } })).status]).toEqual([host, 200]);
    }
  });

  it("is no page of another site", async () => {
    await start();
    for (const site of ["cross-site", "same-site"]) {
      const headers = { "sec-fetch-site": site };
      for (const path of paths) expect((await running.call(path, { headers })).status).toBe(403);
      // A link from another site is one.
      expect((await running.call("/", { headers })).status).toBe(200);
    }
    for (const site of ["same-origin", "none"]) {
      expect((await running.call("/api/state", { headers: { "sec-fetch-site": site } })).status).toBe(200);
    }
  });

  it("is answered one thing for one request, whatever body comes with it", async () => {
    await start();
    const socket = running.raw(
      "GET /api/state HTTP/1.1\r\nhost: localhost\r\ncontent-length: 27\r\n\r\nGET /api/picks HTTP/1.1\r\n\r\n",
    );
    const answers = await text(socket);
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
    expect(running.source.asked).toEqual([]);
    if (!socket.destroyed) await once(socket, "close");
  });
});
