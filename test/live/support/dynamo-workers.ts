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
  readonly workers: readonly DynamoWorker[];
  readonly #recorders: readonly RecordingWorker[];
  readonly #folder: OracleFolder;

  private constructor(workers: readonly DynamoWorker[], recorders: readonly RecordingWorker[], folder: OracleFolder) {
    this.workers = workers;
    this.#recorders = recorders;
    this.#folder = folder;
  }

  /** Starts `count` workers that serve all models, and their frontends. Returns when every frontend sees every worker. */
  static async start(count: number, models: readonly ServedModel[]): Promise<DynamoWorkers> {
    const python = await ensureOraclePython();
    const folder = await OracleFolder.make();
    const names = Array.from({ length: count }, (_, index) => `dynamo-${index}`);
    const recorders = await Promise.all(names.map((name) => RecordingWorker.start({ python, folder, name, models })));
    const frontends = await Promise.all(names.map(() => Frontend.start({ python, folder, routerMode: "direct" })));
    const modelNames = models.map((model) => model.name);
    await Promise.all(frontends.map((frontend) => frontend.ready(modelNames, count * models.length)));
    const instances = (await frontends[0]?.instances()) ?? [];
    const ids = [...new Set(instances.map((instance) => instance.id))];
    const workers = await Promise.all(
      frontends.map(async (frontend, index) => {
        const [name, id] = [names[index], ids[index]];
        if (name === undefined || id === undefined) throw new Error(`${ids.length} instances for ${count} workers`);
        return { name, id, frontend, proxy: await RecordingProxy.start(frontend.endpoint) };
      }),
    );
    return new DynamoWorkers(workers, recorders, folder);
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
