import { characters } from "../python/code-points.ts";
import { refuseRecent } from "../python/letters.ts";
import { pythonSpaces } from "../python/strip.ts";
import { escapeHtml } from "./escape-html.ts";

const word = "\\p{L}\\p{N}_";
const address = new RegExp(
  `^((https?://|www\\.)(([${word}%-]+\\.)+)?([a-z]{2,63}|xn--[${word}%]{2,59})|([${word}%-]{2,63}\\.)+(com|net|int|edu|gov|org|info|mil)|` +
    "(https?://)((\\p{Nd}{1,3}(\\.\\p{Nd}{1,3}){3})|(\\[([\\p{Nd}a-f]{0,4}:){2}([\\p{Nd}a-f]{0,4}:?){1,6}\\])))(?::\\p{Nd}{1,5})?(?:[/?#]\\P{White_Space}*)?$",
  "iu",
);
const space = new RegExp(`([${pythonSpaces}]+)`);
const email = new RegExp(`^\\P{White_Space}+@[${word}][${word}.-]*\\.[${word}]+$`, "u");

export interface LinkOptions {
  /** Longest text of a link in code points; undefined: all of it. */
  readonly limit: number | undefined;
  readonly rel: string;
  readonly target: string;
}

/** jinja2's `urlize` (jinja2@3.1.6 utils.py): escaped text in which addresses are links. */
export function withLinks(text: string, options: LinkOptions): string {
  refuseRecent(text);
  return escapeHtml(text)
    .split(space)
    .map((part) => linked(part, options))
    .join("");
}

function linked(part: string, { limit, rel, target }: LinkOptions): string {
  const head = /^([(<]|&lt;)+/.exec(part)?.[0] ?? "";
  const rest = part.slice(head.length);
  const tailAt = endOfAddress(rest);
  const [middle, tail] = balanced(rest.slice(0, tailAt), rest.slice(tailAt));
  const attributes =
    (rel === "" ? "" : ` rel="${escapeHtml(rel)}"`) + (target === "" ? "" : ` target="${escapeHtml(target)}"`);
  return head + link(middle, limit, attributes) + tail;
}

function endOfAddress(text: string): number {
  let end = text.length;
  for (;;) {
    if (end > 0 && /[)>.,\n]/.test(text.charAt(end - 1))) end--;
    else if (text.endsWith("&gt;", end)) end -= 4;
    else return end;
  }
}

/** Brackets that an address opens are closed by it. */
function balanced(address: string, behind: string): readonly [string, string] {
  let [middle, tail] = [address, behind];
  for (const [open, close] of [
    ["(", ")"],
    ["<", ">"],
    ["&lt;", "&gt;"],
  ] as const) {
    const opened = middle.split(open).length - 1;
    if (opened <= middle.split(close).length - 1) continue;
    for (let left = Math.min(opened, tail.split(close).length - 1); left > 0; left--) {
      const end = tail.indexOf(close) + close.length;
      middle += tail.slice(0, end);
      tail = tail.slice(end);
    }
  }
  return [middle, tail];
}

function link(text: string, limit: number | undefined, attributes: string): string {
  if (address.test(text)) {
    const href = /^https?:\/\//.test(text) ? text : `https://${text}`;
    return `<a href="${href}"${attributes}>${shortened(text, limit)}</a>`;
  }
  if (text.startsWith("mailto:") && email.test(text.slice(7))) return `<a href="${text}">${text.slice(7)}</a>`;
  const isEmail = text.includes("@") && !/^(www\.|@)/.test(text) && !text.includes(":") && email.test(text);
  return isEmail ? `<a href="mailto:${text}">${text}</a>` : text;
}

function shortened(text: string, limit: number | undefined): string {
  const units = characters(text);
  return limit !== undefined && units.length > limit ? `${units.slice(0, limit).join("")}...` : text;
}
