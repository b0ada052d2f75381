/** A value of MessagePack; integers are bigints, floats numbers. */
export type Packed =
  | null
  | boolean
  | number
  | bigint
  | string
  | Buffer
  | readonly Packed[]
  | { readonly pairs: readonly (readonly [Packed, Packed])[] }
  | { readonly extension: number };

/** The bytes end before the value does, or begin with none. */
export class PlainMsgpackError extends Error {}

/** Reads the first value of the bytes by the letter of the specification, whole and without regard to time. */
export function readPlainly(bytes: Buffer): Packed {
  return new PlainReader(bytes).value();
}

class PlainReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(): Packed {
    const head = Number(this.#unsigned(1));
    if (head <= 0x7f) return BigInt(head);
    if (head <= 0x8f) return this.#map(head & 0x0f);
    if (head <= 0x9f) return this.#array(head & 0x0f);
    if (head <= 0xbf) return this.#take(head & 0x1f).toString("utf8");
    if (head >= 0xe0) return BigInt(head - 0x100);
    return this.#marked(head);
  }

  #marked(head: number): Packed {
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
      case 0xc3:
        return head === 0xc3;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#take(this.#length(1 << (head - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#length(1 << (head - 0xc7)));
      case 0xca:
        return this.#take(4).readFloatBE();
      case 0xcb:
        return this.#take(8).readDoubleBE();
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return this.#unsigned(1 << (head - 0xcc));
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3: {
        const width = 1 << (head - 0xd0);
        return BigInt.asIntN(8 * width, this.#unsigned(width));
      }
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#extension(1 << (head - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#take(this.#length(1 << (head - 0xd9))).toString("utf8");
      case 0xdc:
      case 0xdd:
        return this.#array(this.#length(head === 0xdc ? 2 : 4));
      case 0xde:
      case 0xdf:
        return this.#map(this.#length(head === 0xde ? 2 : 4));
      default:
        throw new PlainMsgpackError(`0x${head.toString(16)}`);
    }
  }

  #extension(length: number): Packed {
    const type = this.#take(1).readInt8();
    this.#take(length);
    return { extension: type };
  }

  #array(count: number): Packed {
    this.#atLeast(count);
    return Array.from({ length: count }, () => this.value());
  }

  #map(count: number): Packed {
    this.#atLeast(2 * count);
    return { pairs: Array.from({ length: count }, () => [this.value(), this.value()] as const) };
  }

  #length(width: number): number {
    return Number(this.#unsigned(width));
  }

  #unsigned(width: number): bigint {
    return BigInt(`0x${this.#take(width).toString("hex")}`);
  }

  #take(count: number): Buffer {
    this.#atLeast(count);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  #atLeast(count: number): void {
    if (this.#bytes.length - this.#at < count) throw new PlainMsgpackError("the end");
  }
}
