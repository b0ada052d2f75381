import type { Arbitrary } from "fast-check";

/** Something that reads what others send, and what its reading is held against. */
export interface FuzzTarget {
  /** As `--target` has it. */
  readonly name: string;
  /** What is claimed, in one line. */
  readonly claim: string;
  /** Cases of a run in CI: all targets together take less than a minute. */
  readonly cases: number;
  /** Whether transformers has to be installed for it, which `make test` does without. Default false. */
  readonly needsOracle?: boolean;
  /** Starts what the cases need. */
  open(): Promise<OpenTarget>;
}

export interface OpenTarget {
  readonly property: FuzzProperty<unknown>;
  close(): Promise<void>;
}

/** Cases, and what is checked of each. */
export interface FuzzProperty<Case> {
  readonly cases: Arbitrary<Case>;
  /** Rejects when the claim does not hold. */
  check(each: Case): Promise<void> | void;
  /** The case as a person wants to see it. Default: as fast-check prints it. */
  show?(each: Case): string;
}

/** An open target without parts that have to be closed, unless told otherwise. */
export function fuzzing<Case>(property: FuzzProperty<Case>, close: () => Promise<void> = async () => {}): OpenTarget {
  return { property: property as FuzzProperty<unknown>, close };
}
