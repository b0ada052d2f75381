import type { WorkerId } from "./worker.ts";

const mask64 = (1n << 64n) - 1n;
const mask53 = (1n << 53n) - 1n;

/**
 * The worker id that Dynamo gives a pod: SipHash-1-3 with zero keys over the name's UTF-8 bytes and 0xFF, 53 bits of it.
 * Source: dynamo@1.6.1 discovery, hash_pod_name.
 */
export function workerIdFromName(name: string): WorkerId {
  return (sipHash13(Buffer.concat([Buffer.from(name, "utf8"), Buffer.of(0xff)])) & mask53) as WorkerId;
}

/** Reads a decimal u64. @returns undefined when it is not one */
export function parseWorkerId(text: string): WorkerId | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const id = BigInt(text);
  return id <= mask64 ? (id as WorkerId) : undefined;
}

/** SipHash with 1 compression and 3 finalisation rounds, key 0. Not for hot paths. */
function sipHash13(bytes: Buffer): bigint {
  const state = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n] as const;
  let [v0, v1, v2, v3]: [bigint, bigint, bigint, bigint] = [...state];
  const round = (): void => {
    v0 = (v0 + v1) & mask64;
    v1 = rotateLeft(v1, 13n) ^ v0;
    v0 = rotateLeft(v0, 32n);
    v2 = (v2 + v3) & mask64;
    v3 = rotateLeft(v3, 16n) ^ v2;
    v0 = (v0 + v3) & mask64;
    v3 = rotateLeft(v3, 21n) ^ v0;
    v2 = (v2 + v1) & mask64;
    v1 = rotateLeft(v1, 17n) ^ v2;
    v2 = rotateLeft(v2, 32n);
  };
  for (const word of words(bytes)) {
    v3 ^= word;
    round();
    v0 ^= word;
  }
  v2 ^= 0xffn;
  for (let i = 0; i < 3; i++) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

/** The bytes as u64 LE words; the last one ends in the length's low byte. */
function* words(bytes: Buffer): Generator<bigint> {
  const whole = bytes.length & ~7;
  for (let at = 0; at < whole; at += 8) yield bytes.readBigUInt64LE(at);
  const last = Buffer.alloc(8);
  bytes.copy(last, 0, whole);
  last[7] = bytes.length & 0xff;
  yield last.readBigUInt64LE(0);
}

function rotateLeft(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & mask64;
}
