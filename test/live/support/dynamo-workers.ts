import { ensureOraclePython, OracleFolder } from "../../../scripts/oracle/environment.ts";
import { Frontend } from "../../../scripts/oracle/frontend.ts";
import { RecordingWorker, type ServedModel, type WorkerRecord } from "../../../scripts/oracle/recording-worker.ts";
import { RecordingProxy } from "./recording-proxy.ts";

/** A place that a gateway can send requests to: a real Dynamo frontend in direct mode, seen through a proxy. */
export interface DynamoWorker {
  readonly name: string;
  /** The instance id of the worker beside this frontend, decimal u64. */
  readonly id: string;
  readonly frontend: Frontend;
  readonly proxy: RecordingProxy;
}

/** Dynamo as it runs behind a gateway: workers, each with a frontend that asks the worker which the request's headers name. */
export class DynamoWorkers {
  readonly #workers: DynamoWorker[];
  readonly #recorders: RecordingWorker[];
  readonly #folder: OracleFolder;

  private constructor(workers: DynamoWorker[], recorders: RecordingWorker[], folder: OracleFolder) {
    this.#workers = workers;
    this.#recorders = recorders;
    this.#folder = folder;
  }

  /**
   * Starts `count` workers that serve all models, and their frontends. Returns when every frontend sees every worker; stops what it
   * had started when it fails.
   */
  static async start(count: number, models: readonly ServedModel[]): Promise<DynamoWorkers> {
    const python = await ensureOraclePython();
    const folder = await OracleFolder.make();
    const started = new DynamoWorkers([], [], folder);
    try {
      for (let index = 0; index < count; index++) {
        const name = `dynamo-${index}`;
        started.#recorders.push(await RecordingWorker.start({ python, folder, name, models }));
        const frontend = await Frontend.start({ python, folder, routerMode: "direct" });
        started.#workers.push({ name, id: "", frontend, proxy: await RecordingProxy.start(frontend.endpoint) });
      }
      return started.#named(await started.#instanceIds(models));
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  get workers(): readonly DynamoWorker[] {
    return this.#workers;
  }

  /** The ids of all workers, once every frontend knows them all. */
  async #instanceIds(models: readonly ServedModel[]): Promise<readonly string[]> {
    const names = models.map((model) => model.name);
    const frontends = this.#workers.map((worker) => worker.frontend);
    await Promise.all(frontends.map((frontend) => frontend.ready(names, frontends.length * names.length)));
    const seen = await Promise.all(frontends.map((frontend) => frontend.instances()));
    return [...new Set(seen.flat().map((instance) => instance.id))];
  }

  /** Which frontend stands beside which worker does not matter: all know all. */
  #named(ids: readonly string[]): DynamoWorkers {
    const named = this.#workers.map((worker, index) => ({ ...worker, id: ids[index] ?? "" }));
    if (ids.length !== named.length) throw new Error(`${ids.length} instances for ${named.length} workers`);
    return new DynamoWorkers(named, this.#recorders, this.#folder);
  }

  /** What all workers were given since the last call. */
  takeRecords(): readonly WorkerRecord[] {
    return this.#recorders.flatMap((recorder) => recorder.take());
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.proxy.stop()));
    await Promise.all(this.workers.map((worker) => worker.frontend.stop()));
    await Promise.all(this.#recorders.map((recorder) => recorder.stop()));
    await this.#folder.remove();
  }
}
