import { type SequenceType, SequenceValue } from "./value.ts";

/** Numbers up and down of which short ranges are copies. */
const most = 1_024;
const ascending: readonly number[] = Array.from({ length: most + 1 }, (_, at) => at);
const descending: readonly number[] = Array.from({ length: most + 1 }, (_, at) => most - at);

export type RangeType = Extract<SequenceType, "range" | "iterable">;

export interface RangeBounds {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;
}

/** What `range` gives: numbers that are made when they are asked for. A loop that leaves early never makes most of them. */
export class RangeValue extends SequenceValue {
  readonly start: number;
  readonly step: number;
  readonly length: number;
  readonly #stop: number;

  constructor(type: RangeType, bounds: RangeBounds) {
    const { start, stop, step, length } = bounds;
    super(type, () => numbers(start, length, step));
    this.start = start;
    this.step = step;
    this.length = length;
    this.#stop = stop;
  }

  override get text(): string {
    return `range(${this.start}, ${this.#stop}${this.step === 1 ? "" : `, ${this.step}`})`;
  }
}

/** Copying is the cheapest way. */
function numbers(start: number, length: number, step: number): readonly number[] {
  const last = start + (length - 1) * step;
  if (step === 1 && start >= 0 && last <= most) return ascending.slice(start, start + length);
  if (step === -1 && last >= 0 && start <= most) return descending.slice(most - start, most - start + length);
  const items: number[] = [];
  for (let at = 0; at < length; at++) items.push(start + at * step);
  return items;
}
