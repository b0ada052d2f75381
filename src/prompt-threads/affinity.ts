/** Stretches of a body that tell conversations apart: prompts of one tenant often begin alike. */
const stretches = [0, 65_536] as const;
const stretchBytes = 4096;

/** A number that is the same for the turns of a long conversation, by bytes near its beginning: they go to one thread, which knows their text. */
export function affinityOf(body: Uint8Array): number {
  let hash = 0x811c_9dc5;
  for (const start of stretches) {
    const end = Math.min(body.length, start + stretchBytes);
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (body[at] as number), 0x0100_0193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
