/** Upper bounds of histogram buckets, in seconds: a pick takes fractions of a millisecond, a stuck one seconds. */
export const durationBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** In tokens: 0 apart, then powers of four up to the longest contexts. */
export const tokenBuckets = [0, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];

/** In bytes, 1 KiB to 64 MiB. */
export const byteBuckets = [1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];
