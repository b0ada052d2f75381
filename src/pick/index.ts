export type { Candidate } from "./candidate.ts";
export type { Choice, PickRequest } from "./choose.ts";
export { choose, fallbackOrder } from "./choose.ts";
export type { Constraints, Exclusion, PinnedWorker } from "./eligibility.ts";
export { exclusionOf, preferenceOf } from "./eligibility.ts";
export type { PickOptions } from "./options.ts";
