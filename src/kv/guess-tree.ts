import type { BlockHashes } from "./block-hashes.ts";
import { type GuessHolder, RunHolding } from "./guess-holder.ts";
import { GuessedRun, keyOf } from "./guessed-run.ts";

/** Memory of a holding and its run, in that of blocks, beside their blocks. */
const holdingBlocks = 5;

/**
 * Prefixes as runs of blocks, and which slots hold how much of each. What a slot holds of a prompt is held from its first block on: to
 * forget goes from the deepest. Each operation costs by the runs that it meets, not by their blocks.
 */
export class GuessTree {
  readonly #runs = new Map<number, GuessedRun>();
  /** Memory of all that is there, in that of blocks. */
  weight = 0;

  /** The run that goes on at block number `depth` of a prompt, if any. */
  runAt({ sequence }: BlockHashes, depth: number): GuessedRun | undefined {
    const run = this.#runs.get(keyOf(sequence, depth));
    return run?.isBlock(0, sequence, depth) === true ? run : undefined;
  }

  /** Has `holder` hold the first `count` blocks. @returns its holdings of them, from the first to the deepest */
  hold(holder: GuessHolder, hashes: BlockHashes, count: number): readonly RunHolding[] {
    const path: RunHolding[] = [];
    let last: RunHolding | undefined;
    for (let depth = 0; depth < count; ) {
      const run = this.runAt(hashes, depth) ?? this.#append(last, hashes, depth, count);
      if (run === last?.run) {
        this.#grow(last, run.length);
        return path;
      }
      const agreed = run.agreement(hashes.sequence, depth, count);
      const whole = agreed < run.length ? this.#split(run, agreed) : run;
      last = whole.holdingOf(holder) ?? this.#add(holder, whole, last);
      path.push(last);
      this.#grow(last, whole.length);
      depth += agreed;
    }
    return path;
  }

  /** Forgets a holding from block number `block` on, and all that follows it. @returns how many blocks */
  forgetFrom(holding: RunHolding, block: number): number {
    const blocks = holding.holder.blocks;
    for (const follower of holding.withFollowers().toReversed()) {
      this.forget(follower, follower === holding ? holding.length - block : follower.length);
    }
    return blocks - holding.holder.blocks;
  }

  /** Forgets the last `blocks` blocks of a holding, which nothing follows. */
  forget(holding: RunHolding, blocks: number): void {
    const { holder, run } = holding;
    const length = holding.length - blocks;
    holder.displace(holding, length, holding.length);
    holding.length = length;
    holder.blocks -= blocks;
    this.weight -= blocks;
    if (length > 0) return;
    holder.unlink(holding);
    holding.parent = undefined;
    this.weight -= holdingBlocks;
    run.drop(holding);
    if (run.holdings.length === 0 && this.#runs.get(run.keyAt(0)) === run) this.#runs.delete(run.keyAt(0));
  }

  /** A run for the blocks [depth, count): a new one, or the last one, longer, where nobody else holds it and nothing follows. */
  #append(last: RunHolding | undefined, { sequence }: BlockHashes, depth: number, count: number): GuessedRun {
    if (last?.isDeepest === true && last.run.holdings.length === 1) {
      last.run.extend(sequence, depth, count);
      return last.run;
    }
    const run = new GuessedRun(sequence.slice(2 * depth, 2 * count));
    this.#runs.set(run.keyAt(0), run);
    return run;
  }

  #add(holder: GuessHolder, run: GuessedRun, parent: RunHolding | undefined): RunHolding {
    const holding = new RunHolding(holder, run, parent);
    run.holdings.push(holding);
    this.weight += holdingBlocks;
    return holding;
  }

  #grow(holding: RunHolding, length: number): void {
    const { holder } = holding;
    if (length === holding.length) return;
    holder.place(holding, holding.length, length);
    holder.blocks += length - holding.length;
    this.weight += length - holding.length;
    holding.length = length;
  }

  /** Makes the first `count` blocks of a run one of their own. @returns it */
  #split(run: GuessedRun, count: number): GuessedRun {
    if (this.#runs.get(run.keyAt(0)) === run) this.#runs.delete(run.keyAt(0));
    const head = new GuessedRun(run.takeHead(count));
    this.#runs.set(head.keyAt(0), head);
    this.#runs.set(run.keyAt(0), run);
    for (const holding of run.holdings.splice(0)) this.#splitHolding(holding, run, head);
    return head;
  }

  /** What follows a holding follows its deeper part: that stays the same object. */
  #splitHolding(holding: RunHolding, run: GuessedRun, head: GuessedRun): void {
    if (holding.length <= head.length) {
      holding.run = head;
      head.holdings.push(holding);
      return;
    }
    const { holder } = holding;
    run.holdings.push(holding);
    const before = this.#add(holder, head, holding.parent);
    before.endsAt = holding.endsAt;
    before.length = head.length;
    before.confirmed = holding.confirmed?.slice(0, head.length);
    holder.insertNewerThan(holding, before);
    holder.place(before, 0, head.length);
    holding.parent = before;
    holding.length -= head.length;
    holding.confirmed = holding.confirmed?.slice(head.length);
  }
}
