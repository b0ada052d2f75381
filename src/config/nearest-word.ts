/**
 * The candidate that `word` was probably meant to be: at most a third of its letters away; undefined when none is. Of several
 * that are as near, the one that begins most alike.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.floor(word.length / 3) + 1;
  let alike = 0;
  for (const candidate of candidates) {
    const [a, b] = [word.toLowerCase(), candidate.toLowerCase()];
    const distance = editDistance(a, b);
    const prefix = commonPrefix(a, b);
    const isNearer = distance < least || (nearest !== undefined && distance === least && prefix > alike);
    if (isNearer) [nearest, least, alike] = [candidate, distance, prefix];
  }
  return nearest;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** Letters to add, to leave out, to replace, or to swap with their neighbour (optimal string alignment). O(a * b). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const substituted = (previous[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwap ? (beforePrevious[j - 1] ?? 0) + 1 : substituted;
      row.push(Math.min(substituted, swapped, (previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}
