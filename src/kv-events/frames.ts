import { Buffer } from "node:buffer";

/** One message of an engine: its number in the stream, and the batch. */
export interface NumberedPayload {
  readonly sequence: number;
  readonly payload: Buffer;
}

/** The replay's last message. */
export const endOfReplay = "end";

/**
 * Reads the last two frames as sequence number (u64, big-endian) and payload: what comes before them (topic, delimiter)
 * differs between engines and versions. Returns undefined for anything else, and for a batch over `maxBatchBytes`: a bound that is
 * not left to ZeroMQ, which after a message over its own never connects again.
 */
export function readFrames(
  frames: readonly Buffer[],
  maxBatchBytes: number,
): NumberedPayload | typeof endOfReplay | undefined {
  const number = frames.at(-2);
  const payload = frames.at(-1);
  if (number?.length !== 8 || payload === undefined || payload.length > maxBatchBytes) return undefined;
  const high = number.readUInt32BE(0);
  const low = number.readUInt32BE(4);
  if (high === 0xffffffff && low === 0xffffffff) return endOfReplay;
  const sequence = high * 0x1_0000_0000 + low;
  return Number.isSafeInteger(sequence) ? { sequence, payload } : undefined;
}

/** The request for all batches from `sequence` on. */
export function replayRequest(sequence: number): Buffer[] {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(sequence));
  return [Buffer.alloc(0), number];
}
