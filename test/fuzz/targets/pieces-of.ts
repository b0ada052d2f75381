/** Copies of the parts between the places, which nobody may keep. @param cuts in any order; those behind the end count for nothing */
export function piecesOf(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, i) => Buffer.from(bytes.subarray(places[i], end)));
}
