import { randomBytes } from "node:crypto";

/** A bootstrap room: uniform in [0, 2^63), as Python's `random.randint(0, 2**63 - 1)`. */
export function newRoom(): bigint {
  return BigInt.asUintN(63, randomBytes(8).readBigUInt64LE());
}

/** A UUID of version 7. Source: RFC 9562, section 5.7. */
export function newTimedId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
