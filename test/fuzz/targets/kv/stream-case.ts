import fc, { type Arbitrary } from "fast-check";
import type { Format, Path, Tier } from "../../../unit/kv-events/model-engine.ts";

/** What happens in an engine. */
export type Act =
  | { readonly op: "store"; readonly path: Path; readonly extra: number; readonly isTorn: boolean }
  | { readonly op: "evict"; readonly path: Path }
  | { readonly op: "offload" | "drop"; readonly path: Path; readonly tier: Tier }
  | { readonly op: "clear" | "unknown" | "restart" };

/** How a batch is sent. */
export type Fate =
  /** As engines do, with so many frames before its number. */
  | { readonly how: "sent"; readonly before: number }
  | { readonly how: "lost" }
  /** The one before it comes after it. */
  | { readonly how: "swapped" }
  | { readonly how: "twice" };

/** Frames that are no numbered batch. */
export interface OddFrames {
  /** Hexadecimal. */
  readonly frames: readonly string[];
}

export type StreamStep =
  | { readonly does: "act"; readonly act: Act; readonly format: Format; readonly fate: Fate }
  | { readonly does: "odd"; readonly odd: OddFrames };

/** How the engine answers one request for a replay. */
export interface ReplayPlan {
  /** Between its delimiter and the number. */
  readonly hasTopic: boolean;
  /** Put before the batch of each of these places. */
  readonly odd: readonly { readonly at: number; readonly odd: OddFrames }[];
  /** Batches of this place are left out, as a full queue drops them; undefined = none. */
  readonly hole: number | undefined;
  /** One batch is told twice. */
  readonly repeats: boolean;
}

export interface KvStreamCase {
  readonly steps: readonly StreamStep[];
  /** One for each request, in order; those behind them are answered plainly. */
  readonly replays: readonly ReplayPlan[];
}

/** Longest batch that is taken, bytes. */
export const maxBatchBytes = 8_192;

const path: Arbitrary<Path> = fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 3 });
const format: Arbitrary<Format> = fc.record({
  batch: fc.constantFrom("three", "two", "map"),
  event: fc.constantFrom("array", "map"),
  hash: fc.constantFrom("unsigned", "signed", "bytes"),
  movesByHash: fc.boolean(),
});
const lower = fc.constantFrom<Tier>("host", "disk");
const act: Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ op: fc.constant("store" as const), path, extra: fc.nat(2), isTorn: fc.boolean() }),
  },
  { weight: 6, arbitrary: fc.record({ op: fc.constant("evict" as const), path }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constantFrom("offload" as const, "drop" as const), path, tier: lower }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constantFrom("clear" as const, "unknown" as const, "restart" as const) }),
  },
);
const fate: Arbitrary<Fate> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ how: fc.constant("sent" as const), before: fc.constantFrom(0, 1, 1, 1, 2, 3) }) },
  { weight: 3, arbitrary: fc.constant<Fate>({ how: "lost" }) },
  { weight: 1, arbitrary: fc.constantFrom<Fate>({ how: "swapped" }, { how: "twice" }) },
);

const endOfReplay = "ff".repeat(8);
const oddNumber = fc.constantFrom("", "00", "00".repeat(7), "00".repeat(9), "00".repeat(16));
/** Beyond what a double counts to, or what ends a replay. */
const largeNumber = fc.constantFrom(`002${"0".repeat(13)}`, `8${"0".repeat(15)}`, `${"ff".repeat(7)}fe`);
const bytes = fc.uint8Array({ maxLength: 20 }).map((each) => Buffer.from(each).toString("hex"));
const odd: Arbitrary<OddFrames> = fc.oneof(
  bytes.map((one) => ({ frames: [one] })),
  fc.tuple(oddNumber, bytes).map(([number, payload]) => ({ frames: ["", number, payload] })),
  fc.tuple(largeNumber, bytes).map(([number, payload]) => ({ frames: [number, payload] })),
  fc.constant({ frames: ["", "00".repeat(8), "c1".repeat(maxBatchBytes + 1)] }),
  fc.constant({ frames: ["", "00".repeat(8), "90", "", ""] }),
);
/** On the live stream the end of a replay has no meaning either. */
const liveOdd = fc.oneof(
  { weight: 4, arbitrary: odd },
  { weight: 1, arbitrary: fc.constant({ frames: ["", endOfReplay, ""] }) },
);

const step: Arbitrary<StreamStep> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant("act" as const), act, format, fate }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("odd" as const), odd: liveOdd }) },
);
const replay: Arbitrary<ReplayPlan> = fc.record({
  hasTopic: fc.boolean(),
  odd: fc.array(fc.record({ at: fc.nat({ max: 6 }), odd }), { maxLength: 2 }),
  hole: fc.option(fc.constantFrom(1, 1, 2, 3, 5), { nil: undefined, freq: 3 }),
  repeats: fc.boolean(),
});

export const kvStreamCase: Arbitrary<KvStreamCase> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
  // A hole that stays is given up: the request behind one is answered without.
  replays: fc
    .array(replay, { maxLength: 4 })
    .map((plans) => plans.map((plan, i) => (i % 2 === 0 ? plan : { ...plan, hole: undefined }))),
});
