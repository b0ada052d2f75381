import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import {
  type DumpedPoint,
  dumpText,
  type HeldRank,
  IndexRecovery,
  type StreamPoint,
} from "../../../src/kv-events/index.ts";

/** Tokens of blocks of four: block n holds the tokens 4n to 4n + 3. */
export function tokensOf(blocks: readonly number[]): Uint32Array {
  return Uint32Array.from(blocks.flatMap((block) => [0, 1, 2, 3].map((i) => 4 * block + i)));
}

/** Makes a slot hold a prompt's blocks, under engine hashes that are their numbers. */
export function hold(index: PrefixIndex, slot: number, blocks: readonly number[], cacheSalt?: string): void {
  index.store(slot, {
    parentHash: undefined,
    blockHashes: Uint32Array.from(blocks.flatMap((block) => [block, 0])),
    localHashes: hashBlocks(tokensOf(blocks), { blockSize: 4, ...(cacheSalt && { cacheSalt }) }).local,
    cacheSalt,
  });
}

export function newIndex(blockSize = 4): PrefixIndex {
  return new PrefixIndex({ blockSize, maxBlocks: 10_000 });
}

/** Leading blocks of a prompt that a slot holds. */
export function overlap(index: PrefixIndex, blocks: readonly number[], slot = 0): number {
  const out = new Int32Array(slot + 1);
  index.overlaps(hashBlocks(tokensOf(blocks), { blockSize: 4 }), out);
  return out[slot] ?? 0;
}

/** The dump of an index whose slots are the workers 1, 2, ... */
export function dumpOf(index: PrefixIndex, points?: readonly DumpedPoint[], model = "m"): string {
  const group = { model, routingGroup: "default", blockSize: index.blockSize, changes: index.dump() };
  const all = points === undefined ? group : { ...group, points: () => points };
  return [...dumpText([all], (slot) => ({ workerId: BigInt(slot + 1), dpRank: 0 }))].join("");
}

/** An HTTP server that answers as a test says. */
export class FakePeer {
  readonly #server: Server;
  readonly url: string;
  readonly authorizations: (string | undefined)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(answer: RequestListener): Promise<FakePeer> {
    const server = createServer((request, response) => {
      peer.authorizations.push(request.headers.authorization);
      return answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const peer = new FakePeer(server);
    return peer;
  }

  /** One that answers with a text. */
  static async answering(status: number, text: string): Promise<FakePeer> {
    return FakePeer.start((_, response) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(text);
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A recovery of workers 1, 2, ... whose engines say nothing, into an index of the model `m`. */
export class Recovering {
  readonly recovery: IndexRecovery;
  readonly lines: { level: "info" | "warn"; fields: Record<string, unknown>; message: string }[] = [];
  readonly index: PrefixIndex;
  /** What each rank was told when it was let go. */
  readonly points: (StreamPoint | undefined | "cold")[] = [];

  constructor(
    urls: readonly string[],
    options: Partial<ConstructorParameters<typeof IndexRecovery>[0]> = {},
    index = newIndex(),
  ) {
    this.index = index;
    const line = (level: "info" | "warn") => (fields: object, message: string) => {
      this.lines.push({ level, fields: fields as Record<string, unknown>, message });
    };
    this.recovery = new IndexRecovery(
      {
        urls: urls.map((url) => new URL(url)),
        token: undefined,
        ca: undefined,
        verifyTls: true,
        deadlineMs: 10_000,
        seekMs: 0,
        answerTimeoutMs: 1_000,
        catchUpMs: 1_000,
        maxDumpBytes: 1_000_000,
        ownPorts: () => [],
        ...options,
      },
      {
        indexOf: (group) => (group === "m:default" ? this.index : undefined),
        clock: { now: () => performance.now() },
        log: { info: line("info"), warn: line("warn") },
      },
    );
  }

  /** Holds the rank of a slot. Returns whether it has to wait. */
  hold(slot: number, rank: Partial<HeldRank> = {}): boolean {
    const held = this.recovery.hold({
      slot,
      workerId: BigInt(slot + 1),
      dpRank: 0,
      isPresent: () => true,
      isConnected: () => true,
      caughtUp: () => Promise.resolve(),
      ...rank,
    });
    void held?.then((restored) => {
      this.points[slot] = restored === undefined ? "cold" : restored.point;
    });
    return held !== undefined;
  }

  get attempts(): Record<string, number> {
    return Object.fromEntries(this.recovery.status.attempts);
  }
}
