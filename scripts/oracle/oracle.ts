import { randomUUID } from "node:crypto";
import { ensureOraclePython, OracleFolder } from "./environment.ts";
import { Frontend } from "./frontend.ts";
import { RecordingWorker, type ServedModel, type WorkerRecord } from "./recording-worker.ts";

/** What the frontend made of a request. */
export interface OracleAnswer {
  /** 200 for every request that reached a worker. */
  readonly status: number;
  /** What the worker was handed, one list a prompt; undefined when nothing reached it. */
  readonly tokenIds: readonly (readonly number[])[] | undefined;
  /** The frontend's answer as text. */
  readonly body: string;
}

/**
 * A frontend with one recording worker: tells which tokens a request becomes. One request at a time, so that what the worker
 * records belongs to it; start one for each stream of requests.
 */
export class Oracle {
  readonly #folder: OracleFolder;
  readonly #worker: RecordingWorker;
  readonly #frontend: Frontend;

  private constructor(folder: OracleFolder, worker: RecordingWorker, frontend: Frontend) {
    this.#folder = folder;
    this.#worker = worker;
    this.#frontend = frontend;
  }

  /**
   * Starts both and waits until the models can be asked (some 5 s). Stops what it had started when it fails.
   * @param env settings of the frontend
   */
  static async start(models: readonly ServedModel[], env: Readonly<Record<string, string>> = {}): Promise<Oracle> {
    const python = await ensureOraclePython();
    const folder = await OracleFolder.make();
    const started: { stop(): Promise<void> }[] = [{ stop: () => folder.remove() }];
    try {
      const worker = await RecordingWorker.start({ python, folder, name: "worker", models });
      started.unshift(worker);
      const frontend = await Frontend.start({ python, folder, routerMode: "round-robin", env });
      started.unshift(frontend);
      const names = models.map((model) => model.name);
      await frontend.ready(names, models.length, () => worker.assertRunning());
      return new Oracle(folder, worker, frontend);
    } catch (error) {
      for (const one of started) await one.stop();
      throw error;
    }
  }

  /** @param body sent as it is, the model's name included */
  async ask(path: string, body: Buffer): Promise<OracleAnswer> {
    // Of a batch that failed half-way some prompts arrive after its answer: records are told apart by the id of their request.
    const id = randomUUID();
    const answer = await this.#frontend.post(path, body, { "x-dynamo-request-id": id });
    const records = this.#worker.take().filter((record) => record.request_id.startsWith(id));
    if (records.length === 0) return { status: answer.status, tokenIds: undefined, body: answer.body };
    return {
      status: 200,
      tokenIds: records.toSorted(byPlaceInBatch).map((record) => record.token_ids),
      body: answer.body,
    };
  }

  async stop(): Promise<void> {
    await this.#frontend.stop();
    await this.#worker.stop();
    await this.#folder.remove();
  }
}

function byPlaceInBatch(one: WorkerRecord, other: WorkerRecord): number {
  return placeInBatch(one) - placeInBatch(other);
}

/** 0 for a request that is not of a batch. */
function placeInBatch({ request_id: id }: WorkerRecord): number {
  return Number(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-(\d+)$/.exec(id)?.[1] ?? 0);
}
