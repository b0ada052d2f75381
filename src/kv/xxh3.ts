import { Buffer } from "node:buffer";
import { xxh3WasmBase64 } from "./xxh3-wasm.generated.ts";

// The part of the WebAssembly interface used here: the ES libraries of the compiler do not declare it.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

interface Xxh3Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly heapBase: { readonly value: number };
  hashBytes(at: number, length: number, seedLow: number, seedHigh: number, out: number): void;
  hashBlocks(
    at: number,
    count: number,
    length: number,
    stride: number,
    seedLow: number,
    seedHigh: number,
    out: number,
  ): void;
  chain(at: number, count: number, parent: number, out: number): void;
}

/** A 64-bit value as two u32. */
export interface U64 {
  readonly low: number;
  readonly high: number;
}

/** Most blocks of one WebAssembly call; longer prompts are hashed in pieces. */
const blocksPerPiece = 4_096;
/** Input of one call: 32,768 tokens, unless a single block is longer. */
const inputBytes = 131_072;
/** Longest byte string or block that is hashed: 16 MiB, so that the memory has a bound. */
export const maxInputBytes = 16_777_216;
const pageBytes = 65_536;

/**
 * XXH3-64 in WebAssembly: many blocks a call, because a call a block costs more than the hash. Memory: 0.2 MiB, and more
 * only for a single input over 128 KiB; at most 16.1 MiB. Not re-entrant; every method is synchronous.
 */
export class Xxh3 {
  readonly #wasm: Xxh3Exports;
  readonly #parent: number;
  readonly #local: number;
  readonly #sequence: number;
  readonly #input: number;
  #words = new Uint32Array(0);

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(xxh3WasmBase64, "base64"));
    this.#wasm = new WebAssembly.Instance(module, {}).exports as Xxh3Exports;
    this.#parent = (this.#wasm.heapBase.value + 15) & ~15;
    this.#local = this.#parent + 16;
    this.#sequence = this.#local + blocksPerPiece * 8;
    this.#input = this.#sequence + blocksPerPiece * 8;
    this.#reserveInput(inputBytes);
  }

  /** XXH3-64 of `bytes`. Throws RangeError over 16 MiB. */
  hashBytes(bytes: Uint8Array, seed: U64): U64 {
    this.#reserveInput(bytes.length);
    new Uint8Array(this.#wasm.memory.buffer).set(bytes, this.#input);
    this.#wasm.hashBytes(this.#input, bytes.length, seed.low, seed.high, this.#local);
    const at = this.#local >> 2;
    return { low: this.#words[at] ?? 0, high: this.#words[at + 1] ?? 0 };
  }

  /**
   * Hashes `count` windows of `windowTokens` tokens, `strideTokens` apart, into `local` (two u32 a block: low, high) and,
   * when given, their chain into `sequence`: from the first block, or from `parent` on. Throws RangeError when a window is over
   * 16 MiB.
   */
  hashWindows(
    tokenIds: Uint32Array,
    windows: { readonly count: number; readonly windowTokens: number; readonly strideTokens: number },
    seed: U64,
    local: Uint32Array,
    sequence: Uint32Array | undefined,
    parent?: U64,
  ): void {
    if (parent !== undefined) this.#beginAfter(parent);
    const { count, windowTokens, strideTokens } = windows;
    this.#reserveInput(Math.max(inputBytes, windowTokens * 4));
    const fitting = Math.floor((inputBytes / 4 - windowTokens) / strideTokens) + 1;
    const piece = Math.max(1, Math.min(blocksPerPiece, fitting));
    for (let done = 0; done < count; done += piece) {
      const blocks = Math.min(piece, count - done);
      const from = done * strideTokens;
      copyWords(tokenIds, from, (blocks - 1) * strideTokens + windowTokens, this.#words, this.#input >> 2);
      this.#wasm.hashBlocks(this.#input, blocks, windowTokens * 4, strideTokens * 4, seed.low, seed.high, this.#local);
      this.#copyOut(this.#local, blocks, local, done);
      if (sequence !== undefined) this.#chainPiece(blocks, done, sequence, parent !== undefined);
    }
  }

  /**
   * Chains block hashes to sequence hashes: the first one continues `parent`, or begins a chain when that is undefined.
   * All arrays hold two u32 a block, low first; `sequence` is as long as `local`.
   */
  chain(local: Uint32Array, parent: U64 | undefined, sequence: Uint32Array): void {
    const count = local.length >>> 1;
    if (parent !== undefined) this.#beginAfter(parent);
    for (let done = 0; done < count; done += blocksPerPiece) {
      const blocks = Math.min(blocksPerPiece, count - done);
      copyWords(local, done * 2, blocks * 2, this.#words, this.#local >> 2);
      this.#chainPiece(blocks, done, sequence, parent !== undefined);
    }
  }

  #beginAfter(parent: U64): void {
    this.#words[this.#parent >> 2] = parent.low;
    this.#words[(this.#parent >> 2) + 1] = parent.high;
  }

  #chainPiece(blocks: number, done: number, sequence: Uint32Array, continues: boolean): void {
    if (done > 0) {
      this.#words[this.#parent >> 2] = sequence[done * 2 - 2] ?? 0;
      this.#words[(this.#parent >> 2) + 1] = sequence[done * 2 - 1] ?? 0;
    }
    this.#wasm.chain(this.#local, blocks, done > 0 || continues ? this.#parent : 0, this.#sequence);
    this.#copyOut(this.#sequence, blocks, sequence, done);
  }

  #copyOut(at: number, blocks: number, out: Uint32Array, done: number): void {
    copyWords(this.#words, at >> 2, blocks * 2, out, done * 2);
  }

  #reserveInput(bytes: number): void {
    if (bytes > maxInputBytes) throw new RangeError(`cannot hash ${bytes} bytes at once, at most ${maxInputBytes}`);
    const missing = this.#input + bytes - this.#wasm.memory.buffer.byteLength;
    if (missing > 0) this.#wasm.memory.grow(Math.ceil(missing / pageBytes));
    // Growing detaches the old buffer, and with it every view.
    if (this.#words.buffer !== this.#wasm.memory.buffer) this.#words = new Uint32Array(this.#wasm.memory.buffer);
  }
}

/** A view and a copy of it cost more than a few words: events often store a single block. */
const fewWords = 64;

function copyWords(source: Uint32Array, from: number, count: number, out: Uint32Array, at: number): void {
  if (count > fewWords) {
    out.set(source.subarray(from, from + count), at);
    return;
  }
  for (let i = 0; i < count; i++) out[at + i] = source[from + i] as number;
}
