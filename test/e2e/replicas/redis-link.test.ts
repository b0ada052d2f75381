import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RedisSecrets } from "../../../src/redis/index.ts";
import { RedisLink, systemEnvironment } from "../../../src/replicas/index.ts";
import { CuttableLink } from "../support/cuttable-link.ts";
import { RedisServer, redisKinds } from "../support/redis-server.ts";
import { TlsFront } from "../support/tls-front.ts";
import { until } from "../support/until.ts";

const options = { timeoutMs: 2_000, reconnectMinMs: 20, reconnectMaxMs: 100 };
const noSecrets: RedisSecrets = async () => ({ password: undefined, tls: { rejectUnauthorized: true } });

/** A link with what it told, and a heartbeat so that it hears itself. */
class TestLink {
  readonly told: string[] = [];
  readonly causes: string[] = [];
  readonly link: RedisLink;
  readonly #beat: NodeJS.Timeout;
  readonly #name = randomUUID();
  readonly #channel: string;

  constructor(url: string, secrets = noSecrets, username?: string, channel = "test:load.v1") {
    this.#channel = channel;
    this.link = new RedisLink(
      { ...options, channels: [channel], url, username },
      secrets,
      {
        connected: () => this.told.push("connected"),
        lost: (cause) => {
          this.told.push("lost");
          this.causes.push(`${String(cause)} ${cause instanceof Error ? String(cause.cause) : ""}`);
        },
        message: (text) => {
          this.told.push(text);
          return text === `beat of ${this.#name}`;
        },
      },
      systemEnvironment,
    );
    this.#beat = setInterval(() => {
      if (this.link.isOpen()) this.publish(`beat of ${this.#name}`).catch(() => undefined);
    }, 50);
  }

  publish(text: string): Promise<void> {
    return this.link.publish(this.#channel, text);
  }

  /** How often a text was told. */
  count(text: string): number {
    return this.told.filter((told) => told === text).length;
  }

  async sees(text: string, times = 1): Promise<void> {
    await until(() => this.count(text) >= times, { what: `${text} told ${times} times` });
  }

  async close(): Promise<void> {
    clearInterval(this.#beat);
    await this.link.close();
  }
}

describe.each(redisKinds)("a link over a real %s", (kind) => {
  let server: RedisServer;
  const links: TestLink[] = [];
  const link = (...args: ConstructorParameters<typeof TestLink>): TestLink => {
    const made = new TestLink(...args);
    links.push(made);
    return made;
  };
  beforeEach(async () => {
    server = await RedisServer.start(kind);
  });
  afterEach(async () => {
    await Promise.all(links.splice(0).map((each) => each.close()));
    await server.stop();
  });

  it("carries a text to everybody on the channel, its sender too", async () => {
    const [a, b] = [link(server.url), link(server.url)];
    await Promise.all([a.sees("connected"), b.sees("connected")]);
    await a.publish("hällo");
    await Promise.all([a.sees("hällo"), b.sees("hällo")]);
  });

  it("says once that the server is gone, refuses messages at once, and comes back with it", async () => {
    const a = link(server.url);
    await a.sees("connected");
    await server.kill();
    await a.sees("lost");
    await expect(a.publish("x")).rejects.toThrow("not connected");
    await until(() => server.restart().then(() => true), { what: "the server to be back" });
    await a.sees("connected", 2);
    await a.publish("again");
    await a.sees("again");
    expect(a.count("lost")).toBe(1);
  });

  it("says once that there is no server, waits for it, and ends while it waits", async () => {
    await server.kill();
    const [a, b] = [link(server.url), link(server.url)];
    await Promise.all([a.sees("lost"), b.sees("lost")]);
    expect(a.causes[0]).toContain("ECONNREFUSED");
    await b.close();
    await server.restart();
    await a.sees("connected");
    expect([a.count("lost"), b.count("connected")]).toEqual([1, 0]);
  });

  it("finds out that the server answers nothing any more, and refuses what it was sent meanwhile", async () => {
    const a = link(server.url);
    await a.sees("connected");
    server.freeze();
    await expect(a.publish("into the void")).rejects.toThrow("no message of this replica came back for 2000 ms");
    await a.sees("lost");
    server.resume();
    await a.sees("connected", 2);
  });

  it("finds out that the network is cut, and comes back when it is repaired", async () => {
    const way = await CuttableLink.to(server.port);
    const a = link(`redis://127.0.0.1:${way.port}`);
    await a.sees("connected");
    way.cut();
    await a.sees("lost");
    way.repair();
    await a.sees("connected", 2);
    await a.close();
    await way.close();
  });
});

describe.each(redisKinds)("a link to a %s that wants a password", (kind) => {
  it("says why it is refused, and reads the password anew for each attempt", async () => {
    const server = await RedisServer.start(kind, ["--requirepass", "right"]);
    let password: string | undefined = "wrong";
    const secrets: RedisSecrets = async () => ({ password, tls: { rejectUnauthorized: true } });
    const a = new TestLink(server.url, secrets);
    await a.sees("lost");
    expect(a.causes[0]).toMatch(/WRONGPASS|NOAUTH/);
    expect(a.causes[0]).not.toContain("wrong");
    password = "right";
    await a.sees("connected");
    await a.close();
    await server.stop();
  });

  it("uses a name, and says when its user may not speak on the channel", async () => {
    const users = ["user", "speaker", "on", ">pw", "+@all", "&test:*"];
    const mute = ["user", "mute", "on", ">pw", "+@all", "resetchannels", "&other:*"];
    const listener = ["user", "listener", "on", ">pw", "+@all", "-publish", "&test:*"];
    const all = [users, mute, listener].flatMap(([, ...rules]) => ["--user", ...rules]);
    const server = await RedisServer.start(kind, all);
    const secrets: RedisSecrets = async () => ({ password: "pw", tls: { rejectUnauthorized: true } });
    const [a, b] = [new TestLink(server.url, secrets, "speaker"), new TestLink(server.url, secrets, "mute")];
    await a.sees("connected");
    await b.sees("lost");
    expect(b.causes[0]).toContain("NOPERM");
    const c = new TestLink(server.url, secrets, "listener");
    await c.sees("lost");
    expect(c.causes[0]).toContain("NOPERM");
    await Promise.all([a.close(), b.close(), c.close()]);
    await server.stop();
  });

  it("needs no more rights than the page says", async () => {
    const page = await readFile(new URL("../../../docs/replicas.md", import.meta.url), "utf8");
    const [, rules = ""] = /^ {4}ACL SETUSER (pointsman .*)$/m.exec(page) ?? [];
    const server = await RedisServer.start(kind, ["--user", ...rules.replace("PASSWORD", "pw").split(" ")]);
    const secrets: RedisSecrets = async () => ({ password: "pw", tls: { rejectUnauthorized: true } });
    const a = new TestLink(server.url, secrets, "pointsman", "pointsman:prod:load.v1");
    await a.sees("connected");
    await a.publish("allowed");
    await a.sees("allowed");
    expect(a.causes).toEqual([]);
    await a.close();
    await server.stop();
  });

  it("speaks TLS, and trusts only whom it is told to trust", async () => {
    const server = await RedisServer.start(kind);
    const tls = await TlsFront.to(server.port);
    const trusting = (trusted: object): RedisSecrets => {
      return async () => ({ password: undefined, tls: { rejectUnauthorized: true, ...trusted } });
    };
    const url = `rediss://127.0.0.1:${tls.port}`;
    const [a, b] = [
      new TestLink(url, trusting({ ca: tls.ca, servername: "localhost" })),
      new TestLink(url, trusting({})),
    ];
    await a.sees("connected");
    await b.sees("lost");
    expect(b.causes[0]).toMatch(/self-signed|certificate/);
    await Promise.all([a.close(), b.close()]);
    await tls.close();
    await server.stop();
  });
});
