/**
 * Whether a process that counts its decisions from 1 on has come to this one.
 * @param {string} id `17`, or `2-17` with shards
 * @param {readonly string[]} latest ids, the newest first
 */
export function wasCounted(id, latest) {
  const [process, number] = partsOf(id);
  const newest = latest.map(partsOf).find(([its]) => its === process);
  return newest !== undefined && number >= 1 && number <= newest[1];
}

/** @param {string} id @returns {[process: string, number: number]} */
function partsOf(id) {
  const at = id.indexOf("-") + 1;
  return [id.slice(0, at), Number(id.slice(at))];
}
