/** Upper bounds of histogram buckets, in seconds: a pick takes fractions of a millisecond, a stuck one seconds. */
export const durationBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** In tokens: 0 apart, then powers of four up to the longest contexts. */
export const tokenBuckets = [0, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];

/** In bytes, 1 KiB to 64 MiB. */
export const byteBuckets = [1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

/** Of whole requests, in seconds, up to an hour: generating takes minutes. */
export const requestBuckets = [
  0.0001, 0.001, 0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
  120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];

/** Of a generated token, in seconds. */
export const tokenTimeBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5, 10,
];
