import type { BodySplice } from "./pick-router.ts";

/** Longest chunk sent to the gateway, in bytes: what other endpoint pickers use under gRPC's frame limits. */
export const MAX_CHUNK_BYTES = 62_000;

/** The parts of a spliced body, in order, none copied; empty parts are left out. */
export function splicedParts(body: Buffer, splice: BodySplice | undefined): readonly Buffer[] {
  const parts =
    splice === undefined
      ? [body]
      : [body.subarray(0, splice.offset), ...splice.insert, body.subarray(splice.offset + splice.deleteBytes)];
  return parts.filter((part) => part.length > 0);
}

/** Sum of the parts' lengths, in bytes. */
export function totalBytes(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/**
 * Hands the concatenation of `parts` on in chunks of at most `MAX_CHUNK_BYTES`, each a list of pieces of parts; an empty body is one
 * chunk without pieces. Nothing is copied.
 */
export function forEachChunk(
  parts: readonly Buffer[],
  emit: (pieces: readonly Buffer[], isLast: boolean) => void,
): void {
  let leftBytes = totalBytes(parts);
  let index = 0;
  let offset = 0;
  do {
    const pieces: Buffer[] = [];
    let room = Math.min(MAX_CHUNK_BYTES, leftBytes);
    leftBytes -= room;
    for (let part = parts[index]; room > 0 && part !== undefined; part = parts[index]) {
      const piece = offset === 0 && part.length <= room ? part : part.subarray(offset, offset + room);
      pieces.push(piece);
      room -= piece.length;
      offset += piece.length;
      if (offset === part.length) {
        index += 1;
        offset = 0;
      }
    }
    emit(pieces, leftBytes === 0);
  } while (leftBytes > 0);
}
