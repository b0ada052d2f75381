// A byte order mark is a character of the text here, as it is in longer ones.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** A power of two. */
const places = 256;

interface Known {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/**
 * Decodes short UTF-8 texts, most of which were met before: names of events, fields and media. Comparing a few bytes costs a
 * tenth of decoding them.
 */
export class ShortTexts {
  readonly #known: (Known | undefined)[] = new Array(places).fill(undefined);

  /** @param length at most 31 bytes, which begin at `from` */
  textOf(bytes: Uint8Array, from: number, length: number): string {
    if (length === 0) return "";
    const first = bytes[from] as number;
    const last = bytes[from + length - 1] as number;
    const middle = bytes[from + (length >>> 1)] as number;
    const place = (31 * length + 7 * first + 3 * middle + last) & (places - 1);
    const known = this.#known[place];
    if (known !== undefined && isAt(known.bytes, bytes, from, length)) return known.text;
    // A copy: the message must not be kept for it.
    const own = new Uint8Array(bytes.subarray(from, from + length));
    const text = utf8.decode(own);
    this.#known[place] = { bytes: own, text };
    return text;
  }
}

function isAt(known: Uint8Array, bytes: Uint8Array, from: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let i = 0; i < length; i++) if (known[i] !== bytes[from + i]) return false;
  return true;
}
