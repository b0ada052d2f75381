import { Buffer } from "node:buffer";
import { fingerprint } from "./block-hashes.ts";

/** Random bytes of a one-shot salt. */
export const oneShotRandomBytes = 12;
const checkBytes = 4;
/** Of both, in base64url. */
const saltLength = 22;

/**
 * A cache namespace of one request, which nobody asks for again. Every picker knows it again without having been told: its last bytes are a hash of
 * the others.
 * @param random `oneShotRandomBytes` bytes that nobody can guess
 */
export function oneShotSalt(random: Uint8Array): string {
  const bytes = Buffer.alloc(oneShotRandomBytes + checkBytes);
  bytes.set(random.subarray(0, oneShotRandomBytes));
  bytes.writeUInt32LE(checkOf(bytes), oneShotRandomBytes);
  return bytes.toString("base64url");
}

/** Whether a namespace is one. Of others of its length one in four billions passes for it. */
export function isOneShotSalt(salt: string): boolean {
  if (salt.length !== saltLength) return false;
  const bytes = Buffer.from(salt, "base64url");
  if (bytes.length !== oneShotRandomBytes + checkBytes) return false;
  return bytes.readUInt32LE(oneShotRandomBytes) === checkOf(bytes);
}

function checkOf(bytes: Buffer): number {
  return fingerprint(bytes.subarray(0, oneShotRandomBytes)).low;
}
