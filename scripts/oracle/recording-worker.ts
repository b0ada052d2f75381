import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import type { OracleFolder } from "./environment.ts";

/** A request as the frontend handed it to a worker. */
export interface WorkerRecord {
  readonly model: string;
  /** Decimal u64. */
  readonly instance_id: string;
  /** The frontend's; the requests of one batch have it with `-0`, `-1` and so on at its end. */
  readonly request_id: string;
  readonly token_ids: readonly number[];
}

/** A model that a worker serves. */
export interface ServedModel {
  readonly name: string;
  readonly folder: string;
  /** What the worker tells the frontend beside the files: members of Dynamo's ModelRuntimeConfig, and `runtime_data`. Default: nothing. */
  readonly runtimeConfig?: object;
}

/** What {@link RecordingWorker.start} needs. */
export interface RecordingWorkerOptions {
  readonly python: string;
  readonly folder: OracleFolder;
  /** Of the worker; unique in the folder. */
  readonly name: string;
  readonly models: readonly ServedModel[];
}

const chunkBytes = 1 << 20;

function servedArgument({ name, folder, runtimeConfig = {} }: ServedModel): string {
  return `${name}=${folder}=${JSON.stringify(runtimeConfig)}`;
}

/** A Dynamo worker that computes nothing and records every request that it is given. */
export class RecordingWorker {
  readonly #process: OwnProcess;
  readonly #file: number;
  #rest = Buffer.alloc(0);

  private constructor(process: OwnProcess, file: number) {
    this.#process = process;
    this.#file = file;
  }

  /** Starts the process; a frontend tells when its models can be asked. */
  static async start({ python, folder, name, models }: RecordingWorkerOptions): Promise<RecordingWorker> {
    const records = join(folder.path, `${name}.jsonl`);
    const file = openSync(records, "a+");
    const script = join(import.meta.dirname, "recording_worker.py");
    const args = [script, records, ...models.map(servedArgument)];
    const child = await OwnProcess.start({ name, file: python, args, env: folder.environment });
    return new RecordingWorker(child, file);
  }

  /** The requests recorded since the last call. One that has been answered is among them: it is recorded first. */
  take(): readonly WorkerRecord[] {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let read = readSync(this.#file, chunk); read > 0; read = readSync(this.#file, chunk)) {
      this.#rest = Buffer.concat([this.#rest, chunk.subarray(0, read)]);
    }
    const end = this.#rest.lastIndexOf("\n") + 1;
    const lines = this.#rest.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    this.#rest = this.#rest.subarray(end);
    return lines.map((line) => JSON.parse(line) as WorkerRecord);
  }

  assertRunning(): void {
    this.#process.assertRunning();
  }

  async stop(): Promise<void> {
    await this.#process.end();
    closeSync(this.#file);
  }
}
