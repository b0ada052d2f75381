import { HttpError, i64Shape, listShape, mapped, type Shape, u32Shape } from "../../http/index.ts";
import { type JsonReader, type JsonValue, liftNumberArrays, liftObject, parseJson } from "../../json/index.ts";
import type { RequestBounds } from "./options.ts";

/** Arrays of numbers that were read from a body's bytes: token ids as u32, hashes as two u32 each, low first. */
export type Arrays = ReadonlyMap<string, Uint32Array>;

export interface ReadPrompt<T> {
  readonly fields: T;
  readonly arrays: Arrays;
  /** What was left when arrays and the client's body were lifted. */
  readonly rest: Buffer;
  /** The client's body `request.body`, unread, where it is an object; `fields` then has an empty one. */
  readonly clientBody: Buffer | undefined;
}

/** Prompts of up to so many tokens take no memory of their own until they are hashed. */
const scratchTokens = 131_072;

/** Bodies up to here cannot hold many values, bytes. */
const lightBytes = 16_384;

/** Reads the bodies of all operations. */
export class BodyReader {
  readonly #bounds: RequestBounds;
  readonly #json: JsonReader;
  readonly #wanted;

  constructor(bounds: RequestBounds, json: JsonReader) {
    this.#bounds = bounds;
    this.#json = json;
    this.#wanted = {
      token_ids: {
        kind: "u32",
        maxItems: bounds.maxTokenIds,
        scratch: new Uint32Array(Math.min(bounds.maxTokenIds, scratchTokens)),
      },
      block_hashes: { kind: "i64", maxItems: bounds.maxHashes },
      sequence_hashes: { kind: "i64", maxItems: bounds.maxHashes },
    } as const;
  }

  /** A body without arrays of token ids. @throws JsonSyntaxError, FieldError, HttpError 413 */
  read<T>(body: Buffer, shape: Shape<T>): T {
    return shape.read(this.#parse(body, this.#bounds.maxFieldBytes), "refuse");
  }

  /**
   * A body that gives a prompt.
   * @param clientRequestBytes longest client's body in it; 0 = it has none
   * @returns `token_ids` are valid until the next body is read: they have to be hashed before anything is waited for
   * @throws as `read`
   */
  readPrompt<T>(body: Buffer, shape: Shape<T>, clientRequestBytes = 0): ReadPrompt<T> {
    const { rest: withRequest, arrays } = liftNumberArrays(body, this.#wanted);
    // The client's body is read where it cannot hold others up, by who makes tokens of it.
    const { rest, object: clientBody } =
      clientRequestBytes > 0 ? liftObject(withRequest, "request", "body") : { rest: withRequest, object: undefined };
    const value = this.#parse(rest, this.#bounds.maxFieldBytes + clientRequestBytes);
    return { fields: shape.read(value, "refuse"), arrays, rest, clientBody };
  }

  #parse(bytes: Buffer, maxBytes: number): JsonValue {
    if (bytes.length > maxBytes) {
      throw new HttpError(413, "body_too_large", `the body's fields are longer than ${maxBytes} bytes`);
    }
    if (bytes.length > lightBytes) this.#refuseMany(bytes);
    return parseJson(bytes, { reader: this.#json, finiteNumbers: true });
  }

  /** Thousands of values cost milliseconds, in which nobody else is answered. */
  #refuseMany(bytes: Buffer): void {
    const { maxFieldValues } = this.#bounds;
    const weight = this.#json.weigh(bytes, maxFieldValues);
    if (weight === undefined || weight.records <= maxFieldValues) return;
    throw new HttpError(413, "body_too_large", `the body's fields have more than ${maxFieldValues} values`);
  }
}

/** A list of token ids that was not lifted: of a key with escapes, or deeper in the body. */
export function u32ArrayShape(maxItems: number): Shape<Uint32Array> {
  return mapped(listShape(u32Shape, maxItems), (items) => Uint32Array.from(items));
}

/** A list of signed hashes that was not lifted: two u32 each, low first. */
export function i64ArrayShape(maxItems: number): Shape<Uint32Array> {
  return mapped(listShape(i64Shape, maxItems), (items) => new Uint32Array(BigInt64Array.from(items).buffer));
}
