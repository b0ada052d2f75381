import { DictValue } from "../values/dict-value.ts";
import { isText, SequenceValue, textOf, type Value } from "../values/value.ts";
import { spend } from "../work.ts";

/** Filters and methods that do not look at each item; at texts they look so fast that sixteen characters are a step. */
const quick = new Set(
  "default d length count first last string safe trim strip lstrip rstrip startswith endswith find rfind index rindex replace split rsplit removeprefix removesuffix get items keys values partition rpartition tojson attr map select reject selectattr rejectattr".split(
    " ",
  ),
);

/** Those that do much with each character. */
const slow = new Set(
  "title swapcase capitalize escape e forceescape wordwrap urlize urlencode striptags wordcount length count".split(
    " ",
  ),
);

/** Counts one call of a filter or method by what it is applied to. */
export type Charge = (value: Value) => void;

export function chargeOf(name: string): Charge {
  const [ofCharacter, ofItem] = quick.has(name) ? [1 / 16, 0] : slow.has(name) ? [8, 8] : [1, 4];
  return (value) => {
    if (typeof value === "string") spend(8 + value.length * ofCharacter);
    else if (value instanceof SequenceValue) spend(8 + value.knownLength * ofItem);
    else if (value instanceof DictValue) spend(8 + value.size * ofItem);
    else spend(isText(value) ? 8 + textOf(value).length * ofCharacter : 8);
  };
}
