import {
  HttpError,
  jsonAnswer,
  must,
  type Operation,
  objectShape,
  openApiDocument,
  textShape,
} from "../../http/index.ts";
import type { WorkerDirectory } from "../../router/index.ts";
import type { BodyReader } from "./body.ts";
import { type RecoveryState, recoveryText } from "./recovery-state.ts";
import { workerRecord, workerSchema } from "./worker-answer.ts";

export interface HealthDependencies {
  readonly workers: WorkerDirectory;
  /** Whether the models are loaded, and what peers know was fetched. */
  readonly isReady: () => boolean;
  /** Undefined when there are no peers to recover from. */
  readonly recovery: () => RecoveryState | undefined;
}

/** Whether the service runs, and whether it can answer. */
export function healthOperations({ workers, isReady: isLoaded, recovery }: HealthDependencies): readonly Operation[] {
  return [
    {
      method: "GET",
      path: "/health",
      id: "health",
      tag: "service",
      summary: "Tells that the process answers",
      access: "open",
      answers: { 200: { description: "It does.", schema: { type: "object" } } },
      handle: () => jsonAnswer(200, '{"status":"ok"}'),
    },
    {
      method: "GET",
      path: "/ready",
      id: "ready",
      tag: "service",
      summary:
        "Tells whether requests can be answered: the models are loaded, the index of a peer was fetched, and there is a worker to choose",
      description: "Without a token where one is needed, the workers are not listed.",
      access: "open",
      answers: {
        200: {
          description: "There is.",
          schema: {
            type: "object",
            properties: {
              ready: { type: "boolean" },
              schedulable_workers: { type: "integer" },
              recovery: {
                type: "object",
                description: "How far the index was fetched from a peer; absent without peers.",
              },
              workers: { type: "array", items: workerSchema },
            },
          },
        },
        503: { description: "There is none.", schema: { type: "object" } },
      },
      handle: ({ isAuthorized }) => {
        const records = workers.records();
        const schedulable = records.filter(({ lifecycle }) => lifecycle === "schedulable").length;
        const listed = isAuthorized ? records.map((record) => workerRecord(record)) : [];
        const isReady = schedulable > 0 && isLoaded();
        const state = recovery();
        const recovered = state === undefined ? "" : `"recovery":${recoveryText(state, isAuthorized)},`;
        const text = `{"ready":${isReady},"schedulable_workers":${schedulable},${recovered}"workers":[${listed.join(",")}]}`;
        return jsonAnswer(isReady ? 200 : 503, text);
      },
    },
  ];
}

/** Peers for Dynamo's replica sync. Replicas of this service share their loads in another way: there are none. */
export function replicaSyncOperations(bodies: BodyReader): readonly Operation[] {
  const peer = objectShape({ endpoint: must(textShape(2_048), "ZMQ address of the peer.") });
  const change = (verb: "register" | "deregister"): Operation => ({
    method: "POST",
    path: `/replica_sync/${verb}_peer`,
    id: `${verb}Peer`,
    tag: "dynamo",
    summary: `Would ${verb} a peer of Dynamo's replica sync, which is disabled here`,
    access: "token",
    body: peer.schema,
    answers: { 409: { description: "Replica sync is disabled." } },
    handle: ({ body }) => {
      bodies.read(body, peer);
      throw new HttpError(409, "forbidden", "replica sync is disabled");
    },
  });
  return [
    change("register"),
    change("deregister"),
    {
      method: "GET",
      path: "/replica_sync/peers",
      id: "listPeers",
      tag: "dynamo",
      summary: "Lists the peers of Dynamo's replica sync: none",
      access: "token",
      answers: { 200: { description: "None.", schema: { type: "array" } } },
      handle: () => jsonAnswer(200, "[]"),
    },
  ];
}

/** The document of all operations, itself included. */
export function documentOperation(version: string, others: readonly Operation[]): Operation {
  const operation: Operation = {
    method: "GET",
    path: "/openapi.json",
    id: "openapi",
    tag: "service",
    summary: "Describes this API",
    access: "open",
    answers: { 200: { description: "An OpenAPI 3.1 document.", schema: { type: "object" } } },
    handle: () => jsonAnswer(200, text),
  };
  const text = JSON.stringify(openApiDocument(documentInfo(version), [...others, operation]));
  return operation;
}

function documentInfo(version: string) {
  return {
    title: "Pointsman route API",
    version,
    description:
      "Where a request to an LLM should go: to the worker that holds most of its prompt in its KV cache and is not too busy. Worker ids and hashes are 64-bit integers: read and write them with a JSON library that keeps them exact.",
    tags: [
      {
        name: "route",
        description: "Where a request should go: token ids, block hashes, or the client's own request.",
      },
      { name: "reservations", description: "What becomes of the load that was booked. Each call renews the lease." },
      { name: "workers", description: "Who is there." },
      { name: "dynamo", description: "The API of dynamo.select_service 1.6.1, on the same wire." },
      { name: "service", description: "The service itself." },
    ],
  };
}
