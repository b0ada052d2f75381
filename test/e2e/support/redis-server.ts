import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverBinary } from "./envoy-binary.ts";
import { freePorts } from "./free-ports.ts";
import { OwnProcess } from "./own-process.ts";
import { until } from "./until.ts";

/** A server that speaks Redis's protocol. */
export type RedisKind = "redis-server" | "valkey-server";

export const redisKinds: readonly RedisKind[] = ["redis-server", "valkey-server"];

/** A real server from its wheel, on a port of its own that it keeps over restarts. */
export class RedisServer {
  readonly port: number;
  readonly #kind: RedisKind;
  readonly #folder: string;
  readonly #args: readonly string[];
  #process: OwnProcess | undefined;

  private constructor(kind: RedisKind, port: number, folder: string, args: readonly string[]) {
    this.#kind = kind;
    this.port = port;
    this.#folder = folder;
    this.#args = args;
  }

  /** @param args more of its own options, as `--requirepass x` */
  static async start(kind: RedisKind, args: readonly string[] = []): Promise<RedisServer> {
    const [port = 0] = await freePorts(1);
    const server = new RedisServer(kind, port, await mkdtemp(join(tmpdir(), `pointsman-${kind}-`)), args);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again; what it wrote to its folder is there still. */
  async restart(): Promise<void> {
    const base = ["--port", `${this.port}`, "--bind", "127.0.0.1", "--dir", this.#folder, "--save", ""];
    const args = [...base, ...this.#args];
    const child = await OwnProcess.start({ name: this.#kind, file: serverBinary(this.#kind), args });
    this.#process = child;
    await until(() => answers(this.port), { what: `${this.#kind} to answer`, check: () => child.assertRunning() });
  }

  /** As when its machine fails. */
  async kill(): Promise<void> {
    await this.#process?.end("SIGKILL");
  }

  /** It keeps its connections and answers nothing, until `resume`. */
  freeze(): void {
    this.#signal("SIGSTOP");
  }

  resume(): void {
    this.#signal("SIGCONT");
  }

  /** Ends it and removes what it wrote. */
  async stop(): Promise<void> {
    this.resume();
    await this.#process?.end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#process !== undefined && !this.#process.hasExited) process.kill(this.#process.pid, signal);
  }
}

/** Whether anything that speaks the protocol is there, though it may ask for a password. */
async function answers(port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    socket.write("*1\r\n$4\r\nPING\r\n");
    const [reply] = await once(socket, "data");
    return /^(\+PONG|-NOAUTH)/.test(String(reply));
  } finally {
    socket.destroy();
  }
}
