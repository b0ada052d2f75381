/** A replica that only gives its index: `dump-server.ts WORKERS BLOCKS`; writes its port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { PrefixIndex } from "../../src/kv/index.ts";
import { dumpText } from "../../src/kv-events/index.ts";
import { randomWords, sequencesOf } from "./workload.ts";

const [workers = 16, blocks = 1_048_576] = process.argv.slice(2).map(Number);
const index = new PrefixIndex({ blockSize: 16, maxBlocks: blocks + 1 });
for (const { slot, local, engine } of sequencesOf(workers, blocks, randomWords(7))) {
  index.store(slot, { parentHash: undefined, blockHashes: engine, localHashes: local });
}

/** As the route API sends it: pieces of 64 KiB, a turn of the event loop each. */
function* pieces(): Generator<string> {
  let piece = "";
  const group = { model: "m", routingGroup: "default", blockSize: 16, changes: index.dump() };
  for (const part of dumpText([group], (slot) => ({ workerId: BigInt(slot + 1), dpRank: 0 }))) {
    piece += part;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

const server = createServer((_, response) => {
  const from = process.cpuUsage();
  Readable.from(pieces()).pipe(response);
  response.on("close", () => {
    const { user, system } = process.cpuUsage(from);
    console.log(JSON.stringify({ cpuSeconds: (user + system) / 1e6 }));
  });
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.stdin.resume().on("end", () => process.exit());
