/** Longer runs of combining marks are put in order here: the runtime takes quadratic time. */
const minRun = 64;
const longRuns = new RegExp(`\\p{M}{${minRun},}`, "gu");

/** Marks of the lowest combining class and of the highest. */
const lowest = "\u0334";
const highest = "\u0345";

/**
 * The text with its long runs of combining marks in canonical order: another spelling of the same text, which the runtime normalises in linear
 * time. Linear in the text, but for the different marks of a run, of which there are less than a thousand.
 */
export function withMarksInOrder(text: string): string {
  return text.length < minRun ? text : text.replace(longRuns, inOrder);
}

function inOrder(run: string): string {
  const marks = Array.from(run, (character) => Array.from(character.normalize("NFD"))).flat();
  const classes = classesOf(new Set(marks));
  const sorted: string[] = [];
  let buckets: string[][] = [];
  for (const mark of marks) {
    const combiningClass = classes.get(mark) ?? 0;
    if (combiningClass === 0) {
      sorted.push(buckets.flat().join(""), mark);
      buckets = [];
    } else {
      const bucket = buckets[combiningClass];
      if (bucket === undefined) buckets[combiningClass] = [mark];
      else bucket.push(mark);
    }
  }
  return sorted.concat(buckets.flat()).join("");
}

/** Numbers that rise with the combining class of marks; 0 for those that never move, nor anything over them. */
function classesOf(marks: ReadonlySet<string>): ReadonlyMap<string, number> {
  const moving = [...marks].filter((mark) => comesAfter(mark, lowest) || comesAfter(highest, mark));
  moving.sort((a, b) => (comesAfter(a, b) ? 1 : comesAfter(b, a) ? -1 : 0));
  const classes = new Map<string, number>();
  let last = 0;
  moving.forEach((mark, at) => {
    if (at === 0 || comesAfter(mark, moving[at - 1] ?? "")) last++;
    classes.set(mark, last);
  });
  return classes;
}

/** Whether `first` goes behind `second` in canonical order. */
function comesAfter(first: string, second: string): boolean {
  return first !== second && (first + second).normalize("NFD") === second + first;
}
