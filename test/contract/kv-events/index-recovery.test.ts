import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import { afterEach, describe, expect, it, vi } from "vitest";
import { dumpOf, FakePeer, hold, newIndex, overlap, Recovering } from "./peers.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function peerOf(made: Promise<FakePeer>): Promise<string> {
  const peer = await made;
  closing.push(() => peer.stop());
  return peer.url;
}

function recovering(...args: ConstructorParameters<typeof Recovering>): Recovering {
  const made = new Recovering(...args);
  closing.push(() => made.recovery.close());
  return made;
}

/** The dump of a peer where workers 1 and 2 hold these blocks. */
function goodDump(): string {
  const index = newIndex();
  hold(index, 0, [1, 2, 3]);
  hold(index, 1, [1, 2]);
  return dumpOf(index);
}

const starting = (recovery: string) => JSON.stringify({ error: "starting", code: "starting", recovery });
const nobody = "http://127.0.0.1:1";

describe("fetching the index from a peer", () => {
  it("restores the ranks that are held, and lets them go", async () => {
    const it = recovering([await peerOf(FakePeer.answering(200, goodDump()))]);
    for (const slot of [0, 1, 2]) expect(it.hold(slot)).toBe(true);
    await it.recovery.start();
    expect(it.points).toEqual([undefined, undefined, undefined]);
    expect([0, 1, 2].map((slot) => overlap(it.index, [1, 2, 3], slot))).toEqual([3, 2, 0]);
    expect(it.recovery.status).toMatchObject({ state: "recovered", blocks: 5 });
    expect(it.recovery.isCaughtUp).toBe(true);
    expect(it.attempts).toEqual({ restored: 1 });
    expect(it.lines).toMatchObject([{ level: "info", fields: { blocks: 5, ranks: 3, foreignEvents: 0 } }]);
  });

  it("tells each rank how far its stream had been applied", async () => {
    const index = newIndex();
    hold(index, 0, [1]);
    const content = { low: 7, high: 0xffff_ffff };
    const point = { workerId: 1n, dpRank: 0, sequence: 41, content, isComplete: true };
    const it = recovering([await peerOf(FakePeer.answering(200, dumpOf(index, [point])))]);
    it.hold(0);
    it.hold(1);
    await it.recovery.start();
    expect(it.points).toMatchObject([{ sequence: 41, content, isComplete: true }, undefined]);
  });

  it("leaves ranks alone that nobody holds, and those that have gone meanwhile", async () => {
    const it = recovering([await peerOf(FakePeer.answering(200, goodDump()))]);
    it.hold(0, { isPresent: () => false });
    await it.recovery.start();
    expect(it.index.blockCount).toBe(0);
    expect(it.lines).toMatchObject([{ fields: { foreignEvents: 3 } }]);
  });

  it("sends its token, and no other peer is asked after one has answered", async () => {
    const peers = [await FakePeer.answering(200, goodDump()), await FakePeer.answering(200, goodDump())];
    for (const peer of peers) closing.push(() => peer.stop());
    const it = recovering(
      peers.map(({ url }) => url),
      { token: "secret" },
    );
    it.hold(0);
    await it.recovery.start();
    expect(peers.map(({ authorizations }) => authorizations)).toEqual([["Bearer secret"], []]);
    expect(JSON.stringify(it.lines)).not.toContain("secret");
  });

  const bad = {
    unreachable: () => Promise.resolve(nobody),
    refused: () => peerOf(FakePeer.answering(401, "{}")),
    malformed: () => peerOf(FakePeer.answering(200, goodDump().replace('"events"', '"events'))),
    "malformed, at its end": () => peerOf(FakePeer.answering(200, goodDump().slice(0, -1))),
    too_slow: () => peerOf(FakePeer.start(() => undefined)),
    "too_slow, in the middle": () =>
      peerOf(
        FakePeer.start((_, response) => {
          response.write(goodDump().slice(0, -20));
        }),
      ),
    too_large: () => peerOf(FakePeer.answering(200, `{"other:group":{"events":[${"1,".repeat(20_000)}1]}}`)),
    cut_off: () =>
      peerOf(
        FakePeer.start((_, response) => {
          response.writeHead(200, { "content-length": "1000000" });
          response.write(goodDump().slice(0, -20), () => response.destroy());
        }),
      ),
    seeking: () => peerOf(FakePeer.answering(503, starting("seeking"))),
  };

  it.each(Object.entries(bad))("begins without when the only peer is %s, having kept nothing", async (name, make) => {
    const it = recovering([await make()], { answerTimeoutMs: 100, maxDumpBytes: 20_000 });
    it.hold(0);
    await it.recovery.start();
    expect(it.attempts).toEqual({ [name.split(",")[0] as string]: 1 });
    expect(it.recovery.status).toMatchObject({ state: "cold", blocks: 0, peer: undefined });
    expect(it.recovery.isCaughtUp).toBe(true);
    expect(it.points).toEqual(["cold"]);
    expect(it.index.blockCount).toBe(0);
    expect(it.lines.map(({ level }) => level)).toEqual(["warn", "warn"]);
  });

  it.each(Object.entries(bad))("asks the next one when the first is %s", async (_, make) => {
    const it = recovering([await make(), await peerOf(FakePeer.answering(200, goodDump()))], {
      answerTimeoutMs: 100,
      maxDumpBytes: 20_000,
    });
    it.hold(0);
    await it.recovery.start();
    expect(it.recovery.status).toMatchObject({ state: "recovered", blocks: 3 });
    expect(overlap(it.index, [1, 2, 3])).toBe(3);
  });

  it("leaves a peer that drips its dump when its share of the time is over", async () => {
    const drip = await peerOf(
      FakePeer.start((_, response) => {
        response.write('{"m:default":{"block_size":4,"events":[');
        const timer = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(timer));
      }),
    );
    const it = recovering([drip, await peerOf(FakePeer.answering(200, goodDump()))], { deadlineMs: 1_000 });
    it.hold(0);
    await it.recovery.start();
    expect(it.attempts).toEqual({ too_slow: 1, restored: 1 });
    expect(overlap(it.index, [1, 2, 3])).toBe(3);
  });

  it("ends at its deadline when the only peer drips", async () => {
    const drip = await peerOf(
      FakePeer.start((_, response) => {
        response.write(goodDump().slice(0, -4));
        const timer = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(timer));
      }),
    );
    const it = recovering([drip], { deadlineMs: 300 });
    it.hold(0);
    await it.recovery.start();
    expect(it.recovery.status.state).toBe("cold");
    expect(it.index.blockCount).toBe(0);
    expect(it.hold(1)).toBe(false);
  });

  it("passes over models of another block size, and says so", async () => {
    const it = recovering([await peerOf(FakePeer.answering(200, goodDump()))], {}, newIndex(16));
    it.hold(0);
    await it.recovery.start();
    expect(it.index.blockCount).toBe(0);
    expect(it.lines.at(-1)).toMatchObject({ level: "warn", fields: { groups: ["m:default"] } });
  });

  it("prefers a peer that knows something to one that knows nothing, and takes that one otherwise", async () => {
    const empty = await peerOf(FakePeer.answering(200, dumpOf(newIndex())));
    const both = recovering([empty, await peerOf(FakePeer.answering(200, goodDump()))]);
    both.hold(0);
    await both.recovery.start();
    expect(both.attempts).toEqual({ empty: 1, restored: 1 });
    const one = recovering([empty]);
    one.hold(0);
    await one.recovery.start();
    expect(one.recovery.status).toMatchObject({ state: "recovered", blocks: 0 });
  });

  it("asks a peer that cannot be reached again for a while", async () => {
    let refusals = 0;
    const late = await peerOf(
      FakePeer.start((request, response) => {
        if (refusals++ < 2) request.socket.destroy();
        else response.end(goodDump());
      }),
    );
    const it = recovering([late], { seekMs: 5_000 });
    it.hold(0);
    await it.recovery.start();
    expect(it.attempts).toEqual({ unreachable: 2, restored: 1 });
    expect(it.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("waits for a peer that is being restored itself, and not for one that only seeks", async () => {
    let asked = 0;
    const states = ["seeking", "restoring"];
    const peer = await peerOf(
      FakePeer.start((_, response) => {
        const state = states[asked++];
        response.statusCode = state === undefined ? 200 : 503;
        response.end(state === undefined ? goodDump() : starting(state));
      }),
    );
    const first = recovering([peer], { seekMs: 60_000 });
    first.hold(0);
    await first.recovery.start();
    expect(first.recovery.status.state).toBe("cold");
    const second = recovering([peer]);
    second.hold(0);
    await second.recovery.start();
    expect(second.attempts).toEqual({ restoring: 1, restored: 1 });
  });

  it("restores workers that come soon after, together, and none that come later", async () => {
    const peer = await FakePeer.answering(200, goodDump());
    closing.push(() => peer.stop());
    const it = recovering([peer.url], { deadlineMs: 1_500 });
    await it.recovery.start();
    expect(it.recovery.isCaughtUp).toBe(true);
    expect(it.hold(0)).toBe(true);
    expect(it.recovery.isCaughtUp).toBe(false);
    expect(it.hold(1)).toBe(true);
    await vi.waitFor(() => expect(it.recovery.isCaughtUp).toBe(true), { timeout: 5_000 });
    expect([0, 1].map((slot) => overlap(it.index, [1, 2, 3], slot))).toEqual([3, 2]);
    expect(peer.authorizations).toHaveLength(1);
    await vi.waitFor(() => expect(it.hold(2)).toBe(false), { timeout: 5_000 });
  });

  it("is over when its ranks have caught up, without those that cannot be reached, and in time", async () => {
    const peer = await peerOf(FakePeer.answering(200, goodDump()));
    const never = new Promise<void>(() => undefined);
    const reached = Promise.withResolvers<void>();
    const it = recovering([peer], { catchUpMs: 60_000 });
    it.hold(0, { caughtUp: () => never, isConnected: () => false });
    it.hold(1, { caughtUp: () => reached.promise });
    const started = it.recovery.start();
    await vi.waitFor(() => expect(it.recovery.status.state).toBe("catching_up"));
    expect(it.recovery.isCaughtUp).toBe(false);
    reached.resolve();
    await started;
    const busy = recovering([peer], { catchUpMs: 100 });
    busy.hold(0, { caughtUp: () => never });
    await busy.recovery.start();
    expect(busy.recovery.status.state).toBe("recovered");
  });

  it("ends at once when it is closed", async () => {
    const mute = await peerOf(FakePeer.start(() => undefined));
    const it = recovering([mute], { answerTimeoutMs: 60_000, deadlineMs: 60_000 });
    it.hold(0);
    const started = it.recovery.start();
    await it.recovery.close();
    await started;
    await vi.waitFor(() => expect(it.points).toEqual(["cold"]));
    expect(it.lines).toEqual([]);
  });

  it("speaks TLS: trusts whom its certificates vouch for, or anybody when told to, and else nobody", async () => {
    const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }], {
      extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
    });
    const server = createServer({ key, cert }, (_, response) => response.end(goodDump()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const outcomes: unknown[] = [];
    for (const trust of [{ ca: cert }, { verifyTls: false }, {}]) {
      const it = recovering([url], trust);
      it.hold(0);
      await it.recovery.start();
      outcomes.push(it.attempts);
    }
    expect(outcomes).toEqual([{ restored: 1 }, { restored: 1 }, { unreachable: 1 }]);
  });

  it("does not ask itself", async () => {
    const peer = await FakePeer.answering(200, goodDump());
    closing.push(() => peer.stop());
    const it = recovering([peer.url], { ownPorts: () => [Number(new URL(peer.url).port)] });
    it.hold(0);
    await it.recovery.start();
    expect(peer.authorizations).toEqual([]);
    expect(it.recovery.status.state).toBe("cold");
  });
});
