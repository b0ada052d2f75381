import type { Value } from "../values/value.ts";
import type { Frame } from "./frame.ts";

/** A compiled expression. */
export type Evaluate = (frame: Frame) => Value;

/** A compiled expression that is true or false. */
export type Holds = (frame: Frame) => boolean;

/** How a compiled statement ended: 0 as it should, else it leaves or goes on with the loop around it. */
export type Signal = 0 | 1 | 2;
export const finished = 0;
export const breaking = 1;
export const continuing = 2;

/** A compiled statement. */
export type Execute = (frame: Frame) => Signal;
