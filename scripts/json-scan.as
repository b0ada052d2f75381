// One pass over a JSON text that checks it and writes a record of every value; strings are found again by their bytes.
// AssemblyScript; compiled by scripts/generate-json-scan.ts. Little-endian, as WebAssembly is.

const quote: u8 = 0x22, backslash: u8 = 0x5c, comma: u8 = 0x2c, colon: u8 = 0x3a;
const openArray: u8 = 0x5b, closeArray: u8 = 0x5d, openObject: u8 = 0x7b, closeObject: u8 = 0x7d;

// Kinds of records, in the low five bits of their first word; src/json/tape.ts has the same list.
const kindNull: u32 = 0, kindTrue: u32 = 1, kindFalse: u32 = 2;
const kindSmallInteger: u32 = 3, kindInteger: u32 = 4, kindFraction: u32 = 5;
const kindArray: u32 = 6, kindObject: u32 = 7, kindString: u32 = 8;
const flagEscaped: u32 = 1, flagNotAscii: u32 = 2, flagMayRepeat: u32 = 16;

// Key of the fingerprints: 1 KiB for a block of a long string, the rest for everything else.
const keyBlock: u32 = 1024;
const key: usize = memory.data(1152);
const hexValues: usize = memory.data(256);
// One frame an open array or object: its record, its number of members, whether it is an object, whether a key may
// repeat, and a filter of 256 bits over the keys seen.
const frameBytes: usize = 48;

let body: usize = 0, bodyEnd: usize = 0, scratch: usize = 0, frames: usize = 0;
let tapeStart: usize = 0, tapeLimit: usize = 0, tape: usize = 0;
let controlLimit: u32 = 0x20;

// The interned strings: a table of buckets of four slots (tag, length, place of the bytes, id), and the bytes of each of
// two generations. Id: number within the generation, then the generation in the lowest bit; 0 is none.
const bucketBytes: usize = 64, entryOverhead: u32 = 96;
let table: usize = 0, bucketMask: u64 = 0;
let arenas: usize = 0, generationBytes: u32 = 0, arenaBytes: u32 = 0;
let arenaAt: usize = 0;
let moves: usize = 0, movesLimit: u32 = 0;

/** First byte that the caller may use. */
export const heapBase: usize = __heap_base;
/** Where the caller writes random bytes before the first scan, and how many. */
export const keyAt: usize = key;
export const keyBytes: u32 = 1152;

/** Of the last scan: whether a string has bytes over 0x7f. */
export let isNotAscii: i32 = 0;
/** Of the last `unescape`: whether the text has bytes over 0x7f. */
export let isUnescapedNotAscii: i32 = 0;
/** Whether a string found no room since the last `turn`. */
export let isFull: i32 = 0;
/** Bytes that the young generation is charged. */
export let charged: u32 = 0;
/** The young generation, 0 or 1: the lowest bit of its ids. */
export let young: u32 = 0;
/** Number of the last string of the young generation. */
export let lastNumber: u32 = 0;
/** Strings of the old generation that the last scan took into the young one: pairs of ids (new, old) at `moves`. */
export let moveCount: u32 = 0;

/** Where everything stands. Called once. `generation`: bytes that a generation is charged at most. */
export function setup(
  bodyAt: usize, scratchAt: usize, framesAt: usize, tapeAt: usize, tapeEnd: usize, movesAt: usize, maxMoves: u32,
  tableAt: usize, buckets: u32, arenasAt: usize, generation: u32,
): void {
  body = bodyAt;
  scratch = scratchAt;
  frames = framesAt;
  tapeStart = tapeAt;
  // An array or object in each of 1,024 levels may open before the limit is looked at.
  tapeLimit = tapeEnd - 65536;
  moves = movesAt;
  movesLimit = maxMoves;
  table = tableAt;
  bucketMask = buckets - 1;
  arenas = arenasAt;
  generationBytes = generation;
  arenaBytes = generation >> 1;
  arenaAt = arenas;
  memory.fill(hexValues, 0xff, 256);
  for (let digit: u32 = 0; digit < 10; digit++) store<u8>(hexValues + 0x30 + digit, digit);
  for (let digit: u32 = 10; digit < 16; digit++) {
    store<u8>(hexValues + 0x37 + digit, digit);
    store<u8>(hexValues + 0x57 + digit, digit);
  }
}

/** Begins a generation: the young one becomes the old one, which is forgotten. */
export function turn(): void {
  young ^= 1;
  const end = table + (<usize>bucketMask + 1) * bucketBytes;
  for (let slot = table; slot < end; slot += 16) {
    if ((load<u32>(slot, 12) & 1) == young) store<u32>(slot, 0, 12);
  }
  arenaAt = arenas + young * arenaBytes;
  charged = 0;
  lastNumber = 0;
  isFull = 0;
}

function foldProduct(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff, aHigh = a >> 32, bLow = b & 0xffffffff, bHigh = b >> 32;
  const low = aLow * bLow, cross = aHigh * bLow;
  const carried = (low >> 32) + (cross & 0xffffffff) + aLow * bHigh;
  const upper = (cross >> 32) + (carried >> 32) + aHigh * bHigh;
  return upper ^ ((carried << 32) | (low & 0xffffffff));
}

/** Up to 63 bytes: products of words, keyed. */
function shortFingerprint(at: usize, length: u32): u64 {
  const k = key + keyBlock;
  let h: u64 = load<u64>(k) + <u64>length * 0x9e3779b185ebca87;
  let low: u64, high: u64;
  if (length >= 16) {
    const last = at + length - 16;
    let word = k + 8;
    for (; at < last; at += 16, word += 16) {
      h = foldProduct(load<u64>(at) ^ load<u64>(word), load<u64>(at, 8) ^ load<u64>(word, 8) ^ h);
    }
    low = load<u64>(last);
    high = load<u64>(last, 8);
  } else if (length >= 8) {
    low = load<u64>(at);
    high = load<u64>(at + length - 8);
  } else if (length >= 4) {
    low = load<u32>(at);
    high = load<u32>(at + length - 4);
  } else {
    low = <u64>load<u8>(at) | (<u64>load<u8>(at + (length >> 1)) << 8) | (<u64>load<u8>(at + length - 1) << 16);
    high = 0;
  }
  h = foldProduct(low ^ load<u64>(k, 72), high ^ load<u64>(k, 80) ^ h);
  return foldProduct(h ^ load<u64>(k, 88), load<u64>(k, 96));
}

/** 64 bytes and more: NH (sums of products of keyed 32-bit words) over blocks of 1 KiB, the blocks chained by products. */
function longFingerprint(at: usize, length: u32): u64 {
  const k = key + keyBlock;
  const end = at + length, last = end - 32;
  let h: u64 = load<u64>(k) + <u64>length * 0x9e3779b185ebca87;
  for (;;) {
    const stop = at + keyBlock < last ? at + keyBlock : last;
    let lower = i64x2.splat(0), upper = i64x2.splat(0), word = key;
    for (; at < stop; at += 32, word += 32) {
      const a = i32x4.add(v128.load(at), v128.load(word)), b = i32x4.add(v128.load(at, 16), v128.load(word, 16));
      lower = i64x2.add(lower, i64x2.extmul_low_i32x4_u(a, b));
      upper = i64x2.add(upper, i64x2.extmul_high_i32x4_u(a, b));
    }
    if (at >= last) {
      // The last 32 bytes, which may overlap those before, with a key of their own.
      const a = i32x4.add(v128.load(last), v128.load(k, 8)), b = i32x4.add(v128.load(last, 16), v128.load(k, 24));
      lower = i64x2.add(lower, i64x2.extmul_low_i32x4_u(a, b));
      upper = i64x2.add(upper, i64x2.extmul_high_i32x4_u(a, b));
    }
    const low = i64x2.extract_lane(lower, 0) + rotl<u64>(i64x2.extract_lane(lower, 1), 29);
    const high = i64x2.extract_lane(upper, 0) + rotl<u64>(i64x2.extract_lane(upper, 1), 31);
    h = foldProduct(low ^ load<u64>(k, 72) ^ h, high ^ load<u64>(k, 80) ^ rotl<u64>(h, 32));
    if (at >= last) break;
  }
  return foldProduct(h ^ load<u64>(k, 88), load<u64>(k, 96));
}

function isEqual(a: usize, b: usize, length: u32): bool {
  if (length < 16) {
    const same = i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b)));
    return ((~same) & ((1 << length) - 1)) == 0;
  }
  const last = a + length - 16, lastOther = b + length - 16;
  while (a + 48 < last) {
    const first = v128.or(v128.xor(v128.load(a), v128.load(b)), v128.xor(v128.load(a, 16), v128.load(b, 16)));
    const second = v128.or(v128.xor(v128.load(a, 32), v128.load(b, 32)), v128.xor(v128.load(a, 48), v128.load(b, 48)));
    if (v128.any_true(v128.or(first, second))) return false;
    a += 64;
    b += 64;
  }
  for (; a < last; a += 16, b += 16) {
    if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
  }
  return !v128.any_true(v128.xor(v128.load(last), v128.load(lastOther)));
}

/** Takes the bytes into the young generation. Id; 0 when it has no room. */
function admit(slot: usize, at: usize, length: u32, flags: u32, tag: u32): u32 {
  // The bytes, the text of one or at most two bytes a character, and what a string costs besides.
  const charge: u64 = <u64>length * (flags == 0 ? 2 : 3) + entryOverhead;
  // One string must not displace all others, nor make every text that has it begin a generation.
  if (charge > generationBytes >> 1) return 0;
  if (<u64>charged + charge > generationBytes) {
    isFull = 1;
    return 0;
  }
  memory.copy(arenaAt, at, length);
  const id = (++lastNumber << 1) | young;
  store<u32>(slot, tag);
  store<u32>(slot, length, 4);
  store<u32>(slot, <u32>arenaAt, 8);
  store<u32>(slot, id, 12);
  arenaAt += length;
  charged += <u32>charge;
  return id;
}

/** Id of a string by its bytes; 0 when it is not held and has no room. At most four candidates are compared. */
function intern(at: usize, length: u32, flags: u32, fingerprint: u64): u32 {
  const bucket = table + (<usize>(fingerprint & bucketMask)) * bucketBytes;
  const tag = <u32>(fingerprint >> 32);
  let free: usize = 0, old: usize = 0;
  for (let slot = bucket; slot < bucket + bucketBytes; slot += 16) {
    const id = load<u32>(slot, 12);
    if (id == 0) {
      if (free == 0) free = slot;
      continue;
    }
    if (load<u32>(slot) == tag && load<u32>(slot, 4) == length && isEqual(load<u32>(slot, 8), at, length)) {
      if ((id & 1) == young || moveCount >= movesLimit) return id;
      const moved = admit(slot, at, length, flags, tag);
      if (moved == 0) return id;
      store<u32>(moves + (moveCount << 3), moved);
      store<u32>(moves + (moveCount << 3), id, 4);
      moveCount++;
      return moved;
    }
    if ((id & 1) != young) old = slot;
  }
  if (free == 0) free = old != 0 ? old : bucket + (<usize>((fingerprint >> 28) & 3)) * 16;
  return admit(free, at, length, flags, tag);
}

/** The code unit of the four hex digits at `at`; over 0xffff when one is not a digit. */
function hexUnit(at: usize): u32 {
  const a = <u32>load<u8>(hexValues + load<u8>(at)), b = <u32>load<u8>(hexValues + load<u8>(at, 1));
  const c = <u32>load<u8>(hexValues + load<u8>(at, 2)), d = <u32>load<u8>(hexValues + load<u8>(at, 3));
  if ((a | b | c | d) > 15) return 0x10000;
  return (a << 12) | (b << 8) | (c << 4) | d;
}

/** Position after the escape at `at`; 0 when it is none, or makes a lone surrogate. */
function afterEscape(at: usize): usize {
  const letter = load<u8>(at, 1);
  if (letter == 0x75) {
    const unit = hexUnit(at + 2);
    if ((unit & 0xf800) != 0xd800) return unit > 0xffff ? 0 : at + 6;
    if (unit > 0xdbff || load<u16>(at, 6) != 0x755c) return 0;
    return (hexUnit(at + 8) & 0x1fc00) == 0xdc00 ? at + 12 : 0;
  }
  if (letter == 0x6e || letter == quote || letter == backslash || letter == 0x2f || letter == 0x62) return at + 2;
  if (letter == 0x66 || letter == 0x72 || letter == 0x74) return at + 2;
  return letter < 0x20 && controlLimit == 0 ? at + 2 : 0;
}

let lastFlags: u32 = 0, lastFingerprint: u64 = 0;

/** Reads the string whose first byte is at `at`, and writes its record. Position after its closing quote; 0: refused. */
function readString(at: usize): usize {
  const quotes = i8x16.splat(quote), backslashes = i8x16.splat(backslash), limit = i8x16.splat(<u8>controlLimit);
  const start = at;
  let seen = i8x16.splat(0), partlySeen: i32 = 0, flags: u32 = 0;
  for (;;) {
    const chunk = v128.load(at);
    const stops = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(chunk, quotes), i8x16.eq(chunk, backslashes)), i8x16.lt_u(chunk, limit)),
    );
    if (stops == 0) {
      seen = v128.or(seen, chunk);
      at += 16;
      continue;
    }
    const plain = ctz(stops);
    partlySeen |= i8x16.bitmask(chunk) & ((1 << plain) - 1);
    at += plain;
    const byte = load<u8>(at);
    if (byte == quote) break;
    // The text is followed by quotes, so that no loop leaves it by more than a few bytes.
    if (byte != backslash || at >= bodyEnd) return 0;
    at = afterEscape(at);
    if (at == 0) return 0;
    flags |= flagEscaped;
  }
  if ((partlySeen | i8x16.bitmask(seen)) != 0) {
    flags |= flagNotAscii;
    isNotAscii = 1;
  }
  const length = <u32>(at - start);
  let id: u32 = 0;
  if (length != 0) {
    lastFingerprint = length < 64 ? shortFingerprint(start, length) : longFingerprint(start, length);
    if (at < bodyEnd) id = intern(start, length, flags, lastFingerprint);
  } else {
    lastFingerprint = 0;
  }
  lastFlags = flags;
  write(kindString | flags, start, at, id);
  return at + 1;
}

@inline
function write(kind: u32, start: usize, end: usize, word: u32): void {
  store<u32>(tape, (<u32>(start - body) << 5) | kind);
  store<u32>(tape, <u32>(end - body), 4);
  store<u32>(tape, word, 8);
  tape += 12;
}

@inline
function isDigit(byte: u8): bool {
  return <u32>byte - 0x30 < 10;
}

function afterDigits(at: usize): usize {
  while (isDigit(load<u8>(at))) at++;
  return at;
}

/** A number or a word, and its record. Position after it; 0: refused. */
function readScalar(at: usize): usize {
  const start = at, first = load<u8>(at);
  if (first == 0x74 && load<u32>(at) == 0x65757274) {
    write(kindTrue, at, at + 4, 0);
    return at + 4;
  }
  if (first == 0x66 && load<u32>(at, 1) == 0x65736c61) {
    write(kindFalse, at, at + 5, 0);
    return at + 5;
  }
  if (first == 0x6e && load<u32>(at) == 0x6c6c756e) {
    write(kindNull, at, at + 4, 0);
    return at + 4;
  }
  if (first == 0x2d) at++;
  const whole = at;
  let value: u32 = 0;
  if (load<u8>(at) == 0x30) {
    at++;
  } else {
    for (let byte = load<u8>(at); isDigit(byte); byte = load<u8>(++at)) value = value * 10 + (byte - 0x30);
    if (at == whole) return 0;
  }
  let kind = start == whole && at - whole < 10 ? kindSmallInteger : kindInteger;
  if (load<u8>(at) == 0x2e) {
    kind = kindFraction;
    const from = at + 1;
    at = afterDigits(from);
    if (at == from) return 0;
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    kind = kindFraction;
    const sign = load<u8>(at, 1);
    const from = sign == 0x2b || sign == 0x2d ? at + 2 : at + 1;
    at = afterDigits(from);
    if (at == from) return 0;
  }
  write(kind, start, at, kind == kindSmallInteger ? value : 0);
  return at;
}

@inline
function afterSpace(at: usize): usize {
  let byte = load<u8>(at);
  while (byte <= 0x20 && (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09)) byte = load<u8>(++at);
  return at;
}

/** The key at `at`, its colon and the space after. Position of the value; 0: refused. */
function readKey(at: usize, frame: usize): usize {
  if (load<u8>(at) != quote) return 0;
  at = readString(at + 1);
  if (at == 0) return 0;
  if ((lastFlags & flagEscaped) != 0) store<u32>(frame, flagMayRepeat, 12);
  const word = frame + 16 + (<usize>((lastFingerprint >> 58) & 3) << 3), bit: u64 = 1 << ((lastFingerprint >> 52) & 63);
  const keys = load<u64>(word);
  if ((keys & bit) != 0) store<u32>(frame, flagMayRepeat, 12);
  store<u64>(word, keys | bit);
  if (load<u8>(at) != colon) {
    at = afterSpace(at);
    if (load<u8>(at) != colon) return 0;
  }
  return afterSpace(at + 1);
}

/**
 * Checks the `length` bytes at `body` and writes the records of their values, in order; a key's before its value's. A record has
 * three words: start and kind, end, and a string's id or a small integer's value. Those of an array or object have the tape word
 * after its last record as third, and its number of members as fourth.
 * @param strictness 0x20 refuses raw control characters in strings, 0 takes them
 * @returns words of the tape; 0: not JSON within these limits, or too many records. Bytes over 0x7f are not checked.
 */
export function scan(length: u32, maxDepth: u32, strictness: u32): u32 {
  controlLimit = strictness;
  bodyEnd = body + length;
  isNotAscii = 0;
  moveCount = 0;
  tape = tapeStart;
  for (let pad: usize = 0; pad < 64; pad += 16) v128.store(bodyEnd + pad, i8x16.splat(quote));
  let depth: u32 = 0, frame = frames, isObject: u32 = 0, count: u32 = 0;
  let at = afterSpace(body);
  for (;;) {
    const first = load<u8>(at);
    if (first == quote) {
      at = readString(at + 1);
      if (at == 0) return 0;
    } else if (first == openObject || first == openArray) {
      if (++depth > maxDepth) return 0;
      store<u32>(frame, count, 4);
      store<u32>(frame, isObject, 8);
      frame += frameBytes;
      count = 0;
      isObject = first == openObject ? 1 : 0;
      store<u32>(frame, <u32>tape);
      store<u32>(frame, 0, 12);
      store<u32>(tape, (<u32>(at - body) << 5) | (isObject ? kindObject : kindArray));
      tape += 16;
      at = afterSpace(at + 1);
      if (load<u8>(at) != (isObject ? closeObject : closeArray)) {
        if (isObject) {
          v128.store(frame, i8x16.splat(0), 16);
          v128.store(frame, i8x16.splat(0), 32);
          at = readKey(at, frame);
          if (at == 0) return 0;
        }
        continue;
      }
      count = u32.MAX_VALUE;
    } else {
      at = readScalar(at);
      if (at == 0) return 0;
    }
    // After a value: what follows it, and the end of all that ends here.
    for (;;) {
      if (tape >= tapeLimit) return 0;
      count++;
      at = afterSpace(at);
      if (depth == 0) return at == bodyEnd ? <u32>((tape - tapeStart) >> 2) : 0;
      const byte = load<u8>(at);
      if (byte == comma) {
        at = afterSpace(at + 1);
        if (isObject) {
          at = readKey(at, frame);
          if (at == 0) return 0;
        }
        break;
      }
      if (byte != (isObject ? closeObject : closeArray)) return 0;
      at++;
      const record: usize = load<u32>(frame);
      store<u32>(record, load<u32>(record) | load<u32>(frame, 12));
      store<u32>(record, <u32>(at - body), 4);
      store<u32>(record, <u32>((tape - tapeStart) >> 2), 8);
      store<u32>(record, count, 12);
      depth--;
      frame -= frameBytes;
      count = load<u32>(frame, 4);
      isObject = load<u32>(frame, 8);
    }
  }
  // Not reached; the compiler does not see it.
  return 0;
}

/** Writes the code point in UTF-8. Position after it. */
function writeCodePoint(out: usize, point: u32): usize {
  if (point < 0x80) {
    store<u8>(out, point);
    return out + 1;
  }
  isUnescapedNotAscii = 1;
  if (point < 0x800) {
    store<u8>(out, 0xc0 | (point >> 6));
    store<u8>(out, 0x80 | (point & 63), 1);
    return out + 2;
  }
  if (point < 0x10000) {
    store<u8>(out, 0xe0 | (point >> 12));
    store<u8>(out, 0x80 | ((point >> 6) & 63), 1);
    store<u8>(out, 0x80 | (point & 63), 2);
    return out + 3;
  }
  store<u8>(out, 0xf0 | (point >> 18));
  store<u8>(out, 0x80 | ((point >> 12) & 63), 1);
  store<u8>(out, 0x80 | ((point >> 6) & 63), 2);
  store<u8>(out, 0x80 | (point & 63), 3);
  return out + 4;
}

/** Text of the string between the offsets, as UTF-8 at `scratch`: bytes of it. The last scan must have taken the string. */
export function unescape(start: u32, end: u32): u32 {
  const backslashes = i8x16.splat(backslash), stop = body + end;
  let at = body + start, out = scratch;
  let seen: i32 = 0;
  isUnescapedNotAscii = 0;
  while (at < stop) {
    const chunk = v128.load(at);
    v128.store(out, chunk);
    const found = i8x16.bitmask(i8x16.eq(chunk, backslashes));
    let plain: usize = found == 0 ? 16 : ctz(found);
    if (plain > stop - at) plain = stop - at;
    seen |= i8x16.bitmask(chunk) & ((1 << <i32>plain) - 1);
    at += plain;
    out += plain;
    if (at >= stop || found == 0) continue;
    const letter = load<u8>(at, 1);
    if (letter == 0x75) {
      let point = hexUnit(at + 2);
      at += 6;
      if ((point & 0xfc00) == 0xd800) {
        point = 0x10000 + ((point & 0x3ff) << 10) + (hexUnit(at + 2) & 0x3ff);
        at += 6;
      }
      out = writeCodePoint(out, point);
      continue;
    }
    at += 2;
    let byte = letter;
    if (letter == 0x6e) byte = 0x0a;
    else if (letter == 0x74) byte = 0x09;
    else if (letter == 0x72) byte = 0x0d;
    else if (letter == 0x62) byte = 0x08;
    else if (letter == 0x66) byte = 0x0c;
    else if (letter < 0x20) store<u8>(out++, backslash);
    store<u8>(out++, byte);
  }
  if (seen != 0) isUnescapedNotAscii = 1;
  return <u32>(out - scratch);
}
