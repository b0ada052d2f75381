import { connect, type Socket } from "node:net";
import { type Dispatcher, request } from "undici";
import { listenForConsole } from "../../../src/commands/console/listener.ts";
import { loadConfig } from "../../../src/config/index.ts";
import {
  type ConsoleSource,
  type ConsoleState,
  type ConsoleTelemetry,
  type ExplainedPick,
  type PickSummary,
  pickParts,
  type StateReading,
} from "../../../src/surface/admin/index.ts";
import { createLogger } from "../../../src/telemetry/index.ts";
import { readingOf, stateOf } from "../../support/console/states.ts";

/** What a test's console shows. */
export class TestSource implements ConsoleSource {
  made = 0;
  asked: unknown[] = [];
  fails = false;
  changes: Partial<ConsoleState> = {};
  kept: readonly PickSummary[] = [];
  explained: ExplainedPick | undefined;

  async state(): Promise<StateReading> {
    if (this.fails) throw new Error("the state is broken: secret-detail");
    this.made += 1;
    return readingOf(stateOf({ nowAtMs: this.made, ...this.changes }));
  }

  async picks(limit: number, requestId: string | undefined): Promise<readonly PickSummary[]> {
    this.asked.push([limit, requestId]);
    return this.kept;
  }

  async explain(id: string): Promise<Iterable<string> | undefined> {
    this.asked.push(id);
    return this.explained?.id === id ? pickParts(this.explained) : undefined;
  }
}

/** An event as a reader gets it. */
export interface ReadEvent {
  readonly event: string;
  readonly data: unknown;
}

/** A console that listens, with a source of the test's. */
export class TestConsole {
  readonly source: TestSource;
  readonly refusals: string[];
  readonly #running: Awaited<ReturnType<typeof listenForConsole>>;

  private constructor(running: Awaited<ReturnType<typeof listenForConsole>>, source: TestSource, refusals: string[]) {
    this.#running = running;
    this.source = source;
    this.refusals = refusals;
  }

  /** @param settings of the section `admin` */
  static async start(settings: Readonly<Record<string, unknown>> = {}): Promise<TestConsole> {
    const source = new TestSource();
    const refusals: string[] = [];
    const telemetry: ConsoleTelemetry = { refused: (reason) => refusals.push(reason) };
    const config = loadConfig({
      text: JSON.stringify({ admin: { listen: "127.0.0.1:0", updateIntervalMs: 100, ...settings } }),
      env: {},
    });
    const running = await listenForConsole(config, source, telemetry, createLogger({ level: "silent" }));
    return new TestConsole(running, source, refusals);
  }

  get port(): number {
    return Number(this.#running.address.split(":").at(-1));
  }

  get readers(): number {
    return this.#running.readers;
  }

  async call(
    path: string,
    options: { readonly method?: Dispatcher.HttpMethod; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    const { statusCode, headers, body } = await request(`http://127.0.0.1:${this.port}${path}`, options);
    return { status: statusCode, headers, text: await body.text() };
  }

  /** Events as they come, until the connection ends or `stop` is aborted. */
  async *events(stop: AbortSignal, headers: Readonly<Record<string, string>> = {}): AsyncGenerator<ReadEvent> {
    const options = { headers, signal: stop };
    const { statusCode, body } = await request(`http://127.0.0.1:${this.port}/api/events`, options);
    if (statusCode !== 200) throw new Error(`status ${statusCode}: ${await body.text()}`);
    let rest = "";
    for await (const chunk of body) {
      rest += String(chunk);
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const [event = "", data = ""] = rest.slice(0, end).split("\n");
        rest = rest.slice(end + 2);
        yield { event: event.replace("event: ", ""), data: JSON.parse(data.replace("data: ", "")) };
      }
    }
  }

  /** A connection on which the test writes by itself. */
  raw(text: string): Socket {
    const socket = connect(this.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(text);
    return socket;
  }

  close(): Promise<void> {
    return this.#running.close();
  }
}
