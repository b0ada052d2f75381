import { type ScoringFault, scoringFaults } from "./scoring-frames.ts";

/** Faults that a worker can be told to show. Rates are shares of the requests in [0, 1]. */
export interface FaultSettings {
  /** Generation requests answered with `failStatus`. Default 0. */
  readonly failRate: number;
  /** HTTP status of a failed request, 400 to 599. Default 500. */
  readonly failStatus: number;
  /** Extra wait before anything is done for a generation request, in ms. Default 0. */
  readonly delayMs: number;
  /** Answers cut in the middle by a connection reset. Default 0. */
  readonly resetRate: number;
  /** Live KV event batches that are not sent; they keep their number and can be replayed. Default 0. */
  readonly eventLossRate: number;
  /** False makes `/health` answer 503. Default true. */
  readonly isHealthy: boolean;
  /** What is wrong with its answers to scoring calls. Default none. */
  readonly scoringFault: ScoringFault;
}

/** No faults. */
export const noFaults: FaultSettings = {
  failRate: 0,
  failStatus: 500,
  delayMs: 0,
  resetRate: 0,
  eventLossRate: 0,
  isHealthy: true,
  scoringFault: "none",
};

/** Returns `current` with the settings of `changes`, which may come from a client. Throws RangeError naming the setting. */
export function changeFaults(current: FaultSettings, changes: Readonly<Record<string, unknown>>): FaultSettings {
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(noFaults, name)) throw new RangeError(`unknown fault setting ${JSON.stringify(name)}`);
    if (!isAllowed(name, value)) throw new RangeError(`${name} cannot be ${JSON.stringify(value)}`);
  }
  return { ...current, ...changes };
}

function isAllowed(name: string, value: unknown): boolean {
  if (name === "isHealthy") return typeof value === "boolean";
  if (name === "scoringFault") return scoringFaults.some((fault) => fault === value);
  if (typeof value !== "number") return false;
  if (name === "delayMs") return value >= 0 && value <= 3_600_000;
  if (name === "failStatus") return Number.isInteger(value) && value >= 400 && value <= 599;
  return value >= 0 && value <= 1;
}
