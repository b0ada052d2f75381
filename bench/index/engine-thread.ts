// An engine of its own thread, for `picks-under-events.ts`: publishes KV events over ZMQ at a rate that it is told.
import { parentPort } from "node:worker_threads";
import { Publisher } from "zeromq";
import { blocksPerFrame, frameOf } from "./engine-frames.ts";
import { randomWords } from "./workload.ts";

const tickMs = 10;
const random = randomWords(7);
const frames = Array.from({ length: 2_000 }, (_, i) => frameOf(random, i));
const publisher = new Publisher({ linger: 0 });
await publisher.bind("tcp://127.0.0.1:*");

let blocksPerSecond = 0;
let owed = 0;
let sequence = 0;
parentPort?.on("message", (rate: number) => {
  blocksPerSecond = rate;
});
setInterval(() => void publish(), tickMs);
parentPort?.postMessage(publisher.lastEndpoint);

async function publish(): Promise<void> {
  owed += (blocksPerSecond * tickMs) / 1_000 / blocksPerFrame;
  for (; owed >= 1; owed--) {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(sequence));
    await publisher.send(["", number, frames[sequence++ % frames.length] as Buffer]);
  }
}
