import { BufferPool } from "../../../../src/http/index.ts";
import { Admission } from "../../../../src/surface/ext-proc/admission.ts";
import { HeaderRemovals } from "../../../../src/surface/ext-proc/control-headers.ts";
import { MismatchLog } from "../../../../src/surface/ext-proc/mismatch-log.ts";
import { type ExtProcOptions, resolveExtProcOptions } from "../../../../src/surface/ext-proc/options.ts";
import type { ProcessingRequest, ProcessingResponse } from "../../../../src/surface/ext-proc/processing-messages.ts";
import { StreamSession } from "../../../../src/surface/ext-proc/stream-session.ts";
import { FakeClock, FakeRouter, RecordingLogger, RecordingTelemetry } from "./fakes.ts";

/** What is shared by the sessions of one test. */
export class SessionWorld {
  readonly router = new FakeRouter();
  readonly telemetry = new RecordingTelemetry();
  readonly logger = new RecordingLogger();
  readonly clock = new FakeClock();
  readonly admission: Admission;
  readonly pool = new BufferPool(1 << 20);
  readonly #options;
  readonly #mismatches = new MismatchLog(this.logger, this.clock);

  constructor(options: ExtProcOptions = {}) {
    this.#options = resolveExtProcOptions(options);
    this.admission = new Admission(this.#options, (totals) => this.telemetry.inFlight(totals));
  }

  open(): TestStream {
    return new TestStream({
      router: this.router,
      telemetry: this.telemetry,
      logger: this.logger,
      clock: this.clock,
      admission: this.admission,
      removals: new HeaderRemovals(),
      mismatches: this.#mismatches,
      pool: this.pool,
      options: this.#options,
    });
  }
}

/** A session whose answers are kept, and which complains about a write after the end. */
export class TestStream {
  readonly answers: ProcessingResponse[] = [];
  readonly session: StreamSession;
  isEnded = false;
  /** Calls of `written` that a slow gateway has not made yet. */
  readonly unwritten: (() => void)[] = [];

  constructor(context: ConstructorParameters<typeof StreamSession>[1]) {
    this.session = new StreamSession(
      {
        write: (message, written) => {
          if (this.isEnded) throw new Error("write after end");
          this.answers.push(message);
          if (written !== undefined) this.unwritten.push(written);
        },
        end: () => {
          this.isEnded = true;
        },
      },
      context,
    );
  }

  /** Delivers messages one after the other, and lets what they started come to rest. */
  async receive(...messages: readonly ProcessingRequest[]): Promise<void> {
    for (const message of messages) {
      this.session.receive(message);
      await settle();
    }
  }
}

/** Lets promises that can settle do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}
