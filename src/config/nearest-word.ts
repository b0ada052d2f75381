/** The candidate that `word` was probably meant to be: at most a third of its letters away; undefined when none is. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.floor(word.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** Levenshtein distance. O(a * b). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const substituted = (previous[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      row.push(Math.min(substituted, (previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
