import { setTimeout as delay } from "node:timers/promises";
import type { ConsoleState, ExplainedPick } from "../surface/admin/index.ts";
import type { Canvas } from "./canvas.ts";
import type { Glyphs } from "./glyphs.ts";
import type { Key } from "./keys.ts";
import { type DrawnScene, drawScene, type Explanation, type Size } from "./screen.ts";
import { unshowable } from "./unshowable.ts";
import { firstView, pressed, type View } from "./view.ts";

/** Whom the session asks. */
export interface StateSource {
  state(signal: AbortSignal): Promise<ConsoleState>;
  explained(pickId: string, signal: AbortSignal): Promise<ExplainedPick>;
}

/** Where it draws. */
export interface SessionScreen {
  readonly size: Size;
  show(canvas: Canvas): void;
  forget(): void;
}

export interface SessionOptions {
  readonly url: string;
  readonly glyphs: Glyphs;
  /** Between two questions, ms. */
  readonly intervalMs: number;
  /** ms on any scale. */
  readonly now: () => number;
  /** Stops the process until the person lets it go on. */
  readonly suspend: () => void;
}

/** Between two looks at how long the picker has been silent, ms. */
const silenceStepMs = 500;

/** One person looking at one picker. */
export class TopSession {
  readonly #source: StateSource;
  readonly #screen: SessionScreen;
  readonly #options: SessionOptions;
  readonly #stop = new AbortController();
  #state: ConsoleState | undefined;
  #view: View = firstView;
  #explanation: Explanation;
  #problem: string | undefined;
  #answeredAt: number;
  #drawn: DrawnScene | undefined;
  /** Ends the pause between two questions. */
  #wake = new AbortController();

  constructor(source: StateSource, screen: SessionScreen, options: SessionOptions) {
    this.#source = source;
    this.#screen = screen;
    this.#options = options;
    this.#answeredAt = options.now();
  }

  /** Until {@link end}. @throws what `source` throws first, where `isFatal` says so */
  async run(isFatal: (error: unknown) => boolean): Promise<void> {
    const silence = setInterval(() => this.#redrawSilence(), silenceStepMs);
    try {
      this.draw();
      while (!this.#stop.signal.aborted) {
        await this.#ask(isFatal);
        await this.#pause();
      }
    } finally {
      clearInterval(silence);
    }
  }

  end(): void {
    this.#stop.abort();
    this.#wake.abort();
  }

  draw(): void {
    this.#drawn = this.#scene();
    this.#screen.show(this.#drawn.canvas);
  }

  #scene(): DrawnScene {
    const { url, glyphs, now } = this.#options;
    const scene = {
      state: this.#state,
      view: this.#view,
      explanation: this.#explanation,
      problem: this.#problem,
      silentMs: now() - this.#answeredAt,
      url,
    };
    return drawScene(scene, this.#screen.size, glyphs);
  }

  /** Takes keys that were pressed together, and draws once. */
  press(keys: readonly Key[]): void {
    for (const key of keys) {
      if (this.#stop.signal.aborted) return;
      this.#pressOne(key);
    }
    this.draw();
  }

  #pressOne(key: Key): void {
    const before = this.#view;
    const { lists, extent } = this.#drawn ?? { lists: { rows: [], picks: [] }, extent: { pageRows: 1, maxScroll: 0 } };
    const { view, demand } = pressed(this.#view, key, lists, extent);
    this.#view = view;
    if (demand === "quit") this.end();
    if (demand === "suspend") this.#options.suspend();
    if (demand === "redraw") this.#screen.forget();
    if (demand === "refresh") this.#wake.abort();
    if (demand === "explain" && view.pick !== undefined) void this.#explain(view.pick);
    // The next key may mean what is listed now.
    if (!view.isTyping && isOtherwiseListed(before, view)) this.#drawn = this.#scene();
  }

  async #ask(isFatal: (error: unknown) => boolean): Promise<void> {
    try {
      this.#take(await this.#source.state(this.#stop.signal));
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (this.#state === undefined && isFatal(error)) throw error;
      this.#problem = messageOf(error);
      this.draw();
    }
  }

  /** Shows a state. One that cannot be shown, of a picker of another version perhaps, leaves the one before. */
  #take(state: ConsoleState): void {
    const before = { state: this.#state, problem: this.#problem };
    [this.#state, this.#problem] = [state, undefined];
    try {
      this.draw();
    } catch (cause) {
      [this.#state, this.#problem] = [before.state, before.problem];
      throw unshowable(state, cause);
    }
    this.#answeredAt = this.#options.now();
  }

  async #explain(pickId: string): Promise<void> {
    this.#explanation = undefined;
    let explanation: Explanation;
    try {
      explanation = await this.#source.explained(pickId, this.#stop.signal);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      explanation = { problem: messageOf(error) };
    }
    // Another one may have been asked for since.
    if (this.#view.pick !== pickId) return;
    this.#explanation = explanation;
    try {
      this.draw();
    } catch (cause) {
      this.#explanation = { problem: `it cannot be shown by this version: ${messageOf(cause)}` };
      this.draw();
    }
  }

  async #pause(): Promise<void> {
    this.#wake = new AbortController();
    if (this.#stop.signal.aborted) return;
    await delay(this.#options.intervalMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
  }

  /** The age of what is shown grows while the picker is silent. */
  #redrawSilence(): void {
    if (this.#problem !== undefined) this.draw();
  }
}

/** Whether other lines are listed, or another panel is shown. */
function isOtherwiseListed(before: View, after: View): boolean {
  const names = ["filter", "isTyping", "sortBy", "isReversed", "panel", "focus"] as const;
  return names.some((name) => before[name] !== after[name]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
