// XXH3-64 (the published algorithm, version 0.8) over blocks of tokens, many blocks a call.
// AssemblyScript; compiled by scripts/generate-xxh3.ts. Little-endian, as WebAssembly is.

const secret: usize = memory.data<u8>([
  0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
  0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
  0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
  0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
  0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
  0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
  0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
  0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
  0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
  0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
  0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
  0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
]);
const secretBytes: usize = 192;
// Long inputs with a seed use a secret of their own, and eight accumulators.
const derivedSecret: usize = memory.data(192);
const lanes: usize = memory.data(64);

const prime32a: u64 = 0x9e3779b1;
const prime32b: u64 = 0x85ebca77;
const prime32c: u64 = 0xc2b2ae3d;
const prime64a: u64 = 0x9e3779b185ebca87;
const prime64b: u64 = 0xc2b2ae3d27d4eb4f;
const prime64c: u64 = 0x165667b19e3779f9;
const prime64d: u64 = 0x85ebca77c2b2ae63;
const prime64e: u64 = 0x27d4eb2f165667c5;
const chainSeed: u64 = 1337;

function foldProduct(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff, aHigh = a >> 32, bLow = b & 0xffffffff, bHigh = b >> 32;
  const low = aLow * bLow, cross = aHigh * bLow;
  const carried = (low >> 32) + (cross & 0xffffffff) + aLow * bHigh;
  const upper = (cross >> 32) + (carried >> 32) + aHigh * bHigh;
  return upper ^ ((carried << 32) | (low & 0xffffffff));
}

function avalanche(h: u64): u64 {
  h ^= h >> 37;
  h *= 0x165667919e3779f9;
  return h ^ (h >> 32);
}

function avalanche64(h: u64): u64 {
  h = (h ^ (h >> 33)) * prime64b;
  h = (h ^ (h >> 29)) * prime64c;
  return h ^ (h >> 32);
}

function mix16(at: usize, key: usize, seed: u64): u64 {
  return foldProduct(load<u64>(at) ^ (load<u64>(key) + seed), load<u64>(at, 8) ^ (load<u64>(key, 8) - seed));
}

function hashUpTo16(at: usize, length: u32, seed: u64): u64 {
  if (length > 8) {
    const low = load<u64>(at) ^ ((load<u64>(secret, 24) ^ load<u64>(secret, 32)) + seed);
    const high = load<u64>(at + length - 8) ^ ((load<u64>(secret, 40) ^ load<u64>(secret, 48)) - seed);
    return avalanche(<u64>length + bswap<u64>(low) + high + foldProduct(low, high));
  }
  if (length >= 4) {
    const twisted = seed ^ ((<u64>bswap<u32>(<u32>seed)) << 32);
    const word = <u64>load<u32>(at + length - 4) + ((<u64>load<u32>(at)) << 32);
    let h = word ^ ((load<u64>(secret, 8) ^ load<u64>(secret, 16)) - twisted);
    h ^= rotl<u64>(h, 49) ^ rotl<u64>(h, 24);
    h *= 0x9fb21c651e98df25;
    h ^= (h >> 35) + <u64>length;
    h *= 0x9fb21c651e98df25;
    return h ^ (h >> 28);
  }
  if (length > 0) {
    const first = <u32>load<u8>(at), middle = <u32>load<u8>(at + (length >> 1)), last = <u32>load<u8>(at + length - 1);
    const word = (first << 16) | (middle << 24) | last | (length << 8);
    return avalanche64(<u64>word ^ (<u64>(load<u32>(secret) ^ load<u32>(secret, 4)) + seed));
  }
  return avalanche64(seed ^ load<u64>(secret, 56) ^ load<u64>(secret, 64));
}

function hashUpTo128(at: usize, length: u32, seed: u64): u64 {
  const end = at + length;
  let h = <u64>length * prime64a;
  if (length > 32) {
    if (length > 64) {
      if (length > 96) h += mix16(at + 48, secret + 96, seed) + mix16(end - 64, secret + 112, seed);
      h += mix16(at + 32, secret + 64, seed) + mix16(end - 48, secret + 80, seed);
    }
    h += mix16(at + 16, secret + 32, seed) + mix16(end - 32, secret + 48, seed);
  }
  return avalanche(h + mix16(at, secret, seed) + mix16(end - 16, secret + 16, seed));
}

function hashUpTo240(at: usize, length: u32, seed: u64): u64 {
  let h = <u64>length * prime64a;
  for (let i: usize = 0; i < 128; i += 16) h += mix16(at + i, secret + i, seed);
  h = avalanche(h);
  let tail = mix16(at + length - 16, secret + 119, seed);
  const whole: usize = length & ~15;
  for (let i: usize = 128; i < whole; i += 16) tail += mix16(at + i, secret + i - 125, seed);
  return avalanche(h + tail);
}

function accumulate(at: usize, key: usize): void {
  for (let i: usize = 0; i < 64; i += 8) {
    const word = load<u64>(at + i);
    const keyed = word ^ load<u64>(key + i);
    const other = lanes + (i ^ 8);
    store<u64>(other, load<u64>(other) + word);
    store<u64>(lanes + i, load<u64>(lanes + i) + (keyed & 0xffffffff) * (keyed >> 32));
  }
}

function scramble(key: usize): void {
  for (let i: usize = 0; i < 64; i += 8) {
    const lane = load<u64>(lanes + i);
    store<u64>(lanes + i, (lane ^ (lane >> 47) ^ load<u64>(key + i)) * prime32a);
  }
}

function hashLong(at: usize, length: u32, seed: u64): u64 {
  for (let i: usize = 0; i < secretBytes; i += 16) {
    store<u64>(derivedSecret + i, load<u64>(secret + i) + seed);
    store<u64>(derivedSecret + i, load<u64>(secret + i, 8) - seed, 8);
  }
  store<u64>(lanes, prime32c);
  store<u64>(lanes, prime64a, 8);
  store<u64>(lanes, prime64b, 16);
  store<u64>(lanes, prime64c, 24);
  store<u64>(lanes, prime64d, 32);
  store<u64>(lanes, prime32b, 40);
  store<u64>(lanes, prime64e, 48);
  store<u64>(lanes, prime32a, 56);
  const lastStripe = (length - 1) >> 6;
  for (let stripe: u32 = 0; stripe < lastStripe; stripe++) {
    accumulate(at + (<usize>stripe << 6), derivedSecret + ((stripe & 15) << 3));
    if ((stripe & 15) == 15) scramble(derivedSecret + secretBytes - 64);
  }
  accumulate(at + length - 64, derivedSecret + secretBytes - 71);
  let h = <u64>length * prime64a;
  for (let i: usize = 0; i < 64; i += 16) {
    const key = derivedSecret + 11 + i;
    h += foldProduct(load<u64>(lanes + i) ^ load<u64>(key), load<u64>(lanes + i, 8) ^ load<u64>(key, 8));
  }
  return avalanche(h);
}

function hash(at: usize, length: u32, seed: u64): u64 {
  if (length <= 16) return hashUpTo16(at, length, seed);
  if (length <= 128) return hashUpTo128(at, length, seed);
  if (length <= 240) return hashUpTo240(at, length, seed);
  return hashLong(at, length, seed);
}

/** First byte that the caller may use. */
export const heapBase: usize = __heap_base;

/** XXH3-64 of `length` bytes at `at`, written as u64 at `out`. */
export function hashBytes(at: usize, length: u32, seedLow: u32, seedHigh: u32, out: usize): void {
  store<u64>(out, hash(at, length, (<u64>seedHigh << 32) | <u64>seedLow));
}

/** Hashes `count` windows of `length` bytes, `stride` bytes apart, to u64s at `out`. */
export function hashBlocks(
  at: usize, count: u32, length: u32, stride: u32, seedLow: u32, seedHigh: u32, out: usize,
): void {
  const seed = (<u64>seedHigh << 32) | <u64>seedLow;
  if (length == 64) {
    // Blocks of 16 tokens are the common case: the keys stay in registers.
    const k0 = load<u64>(secret) + seed, k1 = load<u64>(secret, 8) - seed;
    const k2 = load<u64>(secret, 16) + seed, k3 = load<u64>(secret, 24) - seed;
    const k4 = load<u64>(secret, 32) + seed, k5 = load<u64>(secret, 40) - seed;
    const k6 = load<u64>(secret, 48) + seed, k7 = load<u64>(secret, 56) - seed;
    for (let i: u32 = 0; i < count; i++) {
      const h = 64 * prime64a
        + foldProduct(load<u64>(at, 16) ^ k4, load<u64>(at, 24) ^ k5)
        + foldProduct(load<u64>(at, 32) ^ k6, load<u64>(at, 40) ^ k7)
        + foldProduct(load<u64>(at) ^ k0, load<u64>(at, 8) ^ k1)
        + foldProduct(load<u64>(at, 48) ^ k2, load<u64>(at, 56) ^ k3);
      store<u64>(out, avalanche(h));
      at += stride;
      out += 8;
    }
    return;
  }
  for (let i: u32 = 0; i < count; i++) {
    store<u64>(out, hash(at, length, seed));
    at += stride;
    out += 8;
  }
}

/**
 * Chains `count` block hashes at `at` to sequence hashes at `out`: the first follows the sequence hash stored at
 * `parent`, or is its own block hash when `parent` is 0.
 */
export function chain(at: usize, count: u32, parent: usize, out: usize): void {
  if (count == 0) return;
  const lowKey = (load<u64>(secret, 24) ^ load<u64>(secret, 32)) + chainSeed;
  const highKey = (load<u64>(secret, 40) ^ load<u64>(secret, 48)) - chainSeed;
  let i: u32 = 0;
  let previous: u64;
  if (parent == 0) {
    previous = load<u64>(at);
    store<u64>(out, previous);
    i = 1;
  } else {
    previous = load<u64>(parent);
  }
  for (; i < count; i++) {
    const low = previous ^ lowKey, high = load<u64>(at + (<usize>i << 3)) ^ highKey;
    previous = avalanche(16 + bswap<u64>(low) + high + foldProduct(low, high));
    store<u64>(out + (<usize>i << 3), previous);
  }
}
