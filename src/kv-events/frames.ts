import { Buffer } from "node:buffer";

/** One message of an engine: its number in the stream, and the batch. */
export interface NumberedPayload {
  readonly sequence: number;
  readonly payload: Buffer;
}

/**
 * Longest batch that is decoded, in bytes: one step of the event loop, and many times its size in objects. Batches of 100,000 tokens are
 * under 1 MiB. Not left to ZeroMQ, which after a message over its own bound never connects again.
 */
const maxPayloadBytes = 8 * 1_048_576;

/** The replay's last message. */
export const endOfReplay = "end";

/**
 * Reads the last two frames as sequence number (u64, big-endian) and payload: what comes before them (topic, delimiter)
 * differs between engines and versions. Returns undefined for anything else, and for a batch over the bound.
 */
export function readFrames(frames: readonly Buffer[]): NumberedPayload | typeof endOfReplay | undefined {
  const number = frames.at(-2);
  const payload = frames.at(-1);
  if (number?.length !== 8 || payload === undefined || payload.length > maxPayloadBytes) return undefined;
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
