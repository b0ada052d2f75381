import { type HttpCall, HttpError, jsonAnswer, type Operation, type ParameterDescription } from "../../http/index.ts";
import type { RegisteredWorker, WorkerDirectory } from "../../router/index.ts";
import type { BodyReader } from "./body.ts";
import type { RouteApiOptions } from "./options.ts";
import { type WorkerSigns, workerRecord, workerSchema, workerStatus } from "./worker-answer.ts";
import { patchShape, registrationShape } from "./worker-fields.ts";

export interface WorkerDependencies {
  readonly workers: WorkerDirectory;
  readonly statusOf: WorkerSigns;
  readonly bodies: BodyReader;
  readonly options: RouteApiOptions;
}

const idParameter: ParameterDescription = {
  name: "worker_id",
  in: "path",
  description: "The worker's id.",
  schema: { type: "integer", format: "uint64", minimum: 0 },
};

/** Parameters that name a partition in a query. */
export const partitionParameters: readonly ParameterDescription[] = [
  { name: "model_name", in: "query", description: "Only those of this model.", schema: { type: "string" } },
  { name: "routing_group", in: "query", description: "Only those of this routing group.", schema: { type: "string" } },
];

/** Whether something is of the partition that a query names, as far as it does. */
export function partitionFilter({ query }: HttpCall): (model: string, group: string) => boolean {
  const model = query.get("model_name");
  const group = query.get("routing_group");
  return (ofModel, ofGroup) => (model === null || model === ofModel) && (group === null || group === ofGroup);
}

/** Registering workers and looking at them. */
export function workerOperations(dependencies: WorkerDependencies): readonly Operation[] {
  const { workers, bodies, options, statusOf } = dependencies;
  const registration = registrationShape(options.bounds);
  const patch = patchShape(options.bounds);
  const common = { tag: "workers", access: "token" } as const;
  const record = { description: "The worker.", schema: workerSchema };
  const missing = { 404: { description: "No such worker is registered." } };
  return [
    {
      ...common,
      method: "POST",
      path: "/workers",
      id: "putWorker",
      summary: "Registers a worker, or describes one anew",
      description:
        "What is missing may be told later: until then the worker is `incomplete` and not picked. Reservations and known cache contents stay when a worker is described anew with the same ranks.",
      body: registration.schema,
      answers: { 201: record, 409: { description: "The id or the endpoint is that of a configured worker." } },
      handle: ({ body }) => jsonAnswer(201, workerRecord(workers.put(bodies.read(body, registration)))),
    },
    {
      ...common,
      method: "GET",
      path: "/workers",
      id: "listWorkers",
      summary: "Lists the workers, and what is wrong with their KV events",
      parameters: partitionParameters,
      answers: { 200: { description: "The workers.", schema: { type: "array", items: workerSchema } } },
      handle: (call) => {
        const isWanted = partitionFilter(call);
        const records = workers.records().filter(({ modelName, routingGroup }) => isWanted(modelName, routingGroup));
        const texts = records.map((worker) => {
          return workerRecord(worker, workerStatus(workers.ranksOf(worker.workerId), statusOf));
        });
        return jsonAnswer(200, `[${texts.join(",")}]`);
      },
    },
    {
      ...common,
      method: "PATCH",
      path: "/workers/{worker_id}",
      id: "patchWorker",
      summary: "Changes what is known of a worker, or lets it drain",
      description: "Of a configured worker only `draining` can be changed, until the next start.",
      parameters: [idParameter],
      body: patch.schema,
      answers: {
        200: record,
        ...missing,
        409: { description: "It is a configured worker, whose settings stand, or the endpoint is one's." },
      },
      handle: ({ params, body }) => {
        const id = workerIdOf(params);
        return found(id, workers.patch(id, bodies.read(body, patch)));
      },
    },
    {
      ...common,
      method: "DELETE",
      path: "/workers/{worker_id}",
      id: "deleteWorker",
      summary: "Takes a worker away, with its reservations",
      parameters: [idParameter],
      answers: { 200: record, ...missing },
      handle: ({ params }) => {
        const id = workerIdOf(params);
        return found(id, workers.remove(id));
      },
    },
  ];
}

function found(id: bigint, worker: RegisteredWorker | undefined) {
  if (worker === undefined) throw new HttpError(404, "not_found", `worker ${id} not found`);
  return jsonAnswer(200, workerRecord(worker));
}

function workerIdOf(params: Readonly<Record<string, string>>): bigint {
  const text = params["worker_id"] ?? "";
  const id = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (id >= 0n && id < 1n << 64n) return id;
  throw new HttpError(400, "invalid_request", "worker_id must be a decimal number below 2^64");
}
