/** What Python's `str.isspace` holds for; JavaScript's `\s` lacks U+001C to U+001F and U+0085, and has U+FEFF. */
const space = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const leadingSpace = new RegExp(`^[${space}]+`);
const lineEndCharacters = "\\n\\v\\f\\r\\x1c-\\x1e\\x85\\u2028\\u2029";
const lineEnd = new RegExp(`\\r\\n|[${lineEndCharacters}]`);
const spaceRun = new RegExp(`[${space}]+`);
const isSpace = new RegExp(`^[${space}]$`);

/** Python's `str.lstrip`; `characters` is a set, white space when absent. */
export function stripLeft(value: string, characters?: string): string {
  if (characters === undefined) return value.replace(leadingSpace, "");
  const set = new Set(characters);
  let from = 0;
  for (const character of value) {
    if (!set.has(character)) break;
    from += character.length;
  }
  return value.slice(from);
}

/** Python's `str.rstrip`. */
export function stripRight(value: string, characters?: string): string {
  const set = characters === undefined ? undefined : new Set(characters);
  let end = value.length;
  while (end > 0) {
    const character = lastCharacter(value, end);
    if (set === undefined ? !isSpace.test(character) : !set.has(character)) break;
    end -= character.length;
  }
  return value.slice(0, end);
}

function lastCharacter(value: string, end: number): string {
  const unit = value.charCodeAt(end - 1);
  const isPair = unit >= 0xdc00 && unit <= 0xdfff && end > 1;
  return value.slice(isPair ? end - 2 : end - 1, end);
}

/** Python's `str.strip`. */
export function strip(value: string, characters?: string): string {
  return stripRight(stripLeft(value, characters), characters);
}

/** Python's `str.split` at a separator. `limit` is the most cuts, < 0 none. */
export function splitAt(value: string, separator: string, limit: number): string[] {
  const parts: string[] = [];
  let from = 0;
  while (limit < 0 || parts.length < limit) {
    const at = value.indexOf(separator, from);
    if (at === -1) break;
    parts.push(value.slice(from, at));
    from = at + separator.length;
  }
  return [...parts, value.slice(from)];
}

/** Python's `str.split` at runs of white space; what follows the last cut keeps its end. */
export function splitWords(value: string, limit: number): string[] {
  const words: string[] = [];
  let rest = stripLeft(value);
  while (rest !== "") {
    const run = words.length === limit ? null : spaceRun.exec(rest);
    words.push(run === null ? rest : rest.slice(0, run.index));
    rest = run === null ? "" : rest.slice(run.index + run[0].length);
  }
  return words;
}

/** Python's `str.splitlines` without line ends. */
export function splitLines(value: string): string[] {
  const lines = value.split(lineEnd);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Python's `repr` of a float, which its `json.dumps` prints too for finite ones: the shortest digits, an exponent from 1e16 and under 1e-4. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) return exponentText(value);
  const digits = String(value);
  return digits.includes(".") ? digits : `${digits}.0`;
}

function exponentText(value: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${mantissa}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}
