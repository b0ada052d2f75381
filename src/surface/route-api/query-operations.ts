import { type JsonSchema, jsonAnswer, type Operation, objectShape } from "../../http/index.ts";
import type { Partitions, PotentialLoad, Selections } from "../../router/index.ts";
import type { BodyReader } from "./body.ts";
import { demandMembers, overridesOf } from "./demand-fields.ts";
import type { RouteApiOptions } from "./options.ts";
import { partitionMembers, promptMembers, strictPromptOf } from "./prompt-fields.ts";
import { partitionFilter, partitionParameters } from "./worker-operations.ts";

export interface QueryDependencies {
  readonly selections: Selections;
  readonly partitions: Partitions;
  readonly bodies: BodyReader;
  readonly options: RouteApiOptions;
}

/** Looking at loads and caches: changes nothing. The wire of dynamo@1.6.1 select_service. */
export function queryOperations(dependencies: QueryDependencies): readonly Operation[] {
  return [overlapScores(dependencies), potentialLoads(dependencies), loads(dependencies)];
}

function queryShape({ bounds }: RouteApiOptions) {
  const { router_config_override } = demandMembers(bounds);
  return objectShape({ ...partitionMembers, ...promptMembers(bounds), router_config_override });
}

const integer: JsonSchema = { type: "integer" };
const rankProperties = { worker_id: { type: "integer", format: "uint64" }, dp_rank: integer } as const;

function overlapScores({ selections, bodies, options }: QueryDependencies): Operation {
  const shape = queryShape(options);
  const blocks = { device_blocks: integer, host_pinned_blocks: integer, disk_blocks: integer };
  return {
    method: "POST",
    path: "/overlap_scores",
    id: "overlapScores",
    tag: "dynamo",
    summary: "Tells how much of a prompt each worker holds",
    access: "token",
    body: shape.schema,
    answers: {
      200: {
        description: "Leading prompt blocks by worker and tier; a tier's blocks include those of the tiers before.",
        schema: {
          type: "object",
          properties: {
            block_size: integer,
            num_blocks: integer,
            workers: { type: "array", items: { type: "object", properties: { ...rankProperties, ...blocks } } },
          },
        },
      },
    },
    handle: ({ body }) => {
      const { fields, arrays } = bodies.readPrompt(body, shape);
      const partition = selections.partition(fields.model_name, fields.routing_group);
      const demands = { constraints: {}, overrides: overridesOf(fields.router_config_override) };
      const subject = selections.subject(partition, strictPromptOf(fields, arrays), demands);
      const workers = selections.candidates(subject).map(({ rank, deviceBlocks, hostBlocks, diskBlocks }) => {
        const host = deviceBlocks + hostBlocks;
        return (
          `{"worker_id":${rank.worker.id},"dp_rank":${rank.dpRank},"device_blocks":${deviceBlocks},` +
          `"host_pinned_blocks":${host},"disk_blocks":${host + diskBlocks},` +
          `"host_pinned_extension_blocks":${hostBlocks},"disk_extension_blocks":${diskBlocks},` +
          `"shared_beyond_device_blocks":null}`
        );
      });
      return jsonAnswer(
        200,
        `{"block_size":${partition.blockSize},"num_blocks":${subject.hashes?.count ?? 0},` +
          `"workers":[${workers.join(",")}],${noSharedCache}}`,
      );
    },
  };
}

const noSharedCache = '"shared_cache":{"enabled":false,"total_hit_blocks":0,"ranges":[],"error":null}';

const loadListSchema: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      ...rankProperties,
      potential_prefill_tokens: integer,
      potential_decode_blocks: integer,
      active_requests: integer,
    },
  },
};

function potentialLoads({ selections, bodies, options }: QueryDependencies): Operation {
  const shape = queryShape(options);
  return {
    method: "POST",
    path: "/potential_loads",
    id: "potentialLoads",
    tag: "dynamo",
    summary: "Tells the load of each worker if a prompt went there",
    access: "token",
    body: shape.schema,
    answers: { 200: { description: "Load by worker and rank.", schema: loadListSchema } },
    handle: ({ body }) => {
      const { fields, arrays } = bodies.readPrompt(body, shape);
      const partition = selections.partition(fields.model_name, fields.routing_group);
      const demands = { constraints: {}, overrides: overridesOf(fields.router_config_override) };
      const subject = selections.subject(partition, strictPromptOf(fields, arrays), demands);
      return jsonAnswer(200, loadList(selections.potentialLoads(subject)));
    },
  };
}

function loads({ selections, partitions }: QueryDependencies): Operation {
  return {
    method: "GET",
    path: "/loads",
    id: "loads",
    tag: "dynamo",
    summary: "Tells the load of each worker",
    access: "token",
    parameters: partitionParameters,
    answers: {
      200: {
        description: "Load by partition, worker and rank.",
        schema: {
          type: "array",
          items: {
            type: "object",
            properties: {
              model_name: { type: "string" },
              routing_group: { type: "string" },
              loads: loadListSchema,
              pending_count: integer,
              pending_isl_tokens: integer,
            },
          },
        },
      },
    },
    handle: (call) => {
      const isWanted = partitionFilter(call);
      const parts = partitions
        .values()
        .filter(({ model, group }) => isWanted(model, group))
        .map((partition) => {
          const { model, group } = partition;
          const head = `{"model_name":${JSON.stringify(model)},"routing_group":${JSON.stringify(group)}`;
          return `${head},"loads":${loadList(selections.loads(partition))},"pending_count":0,"pending_isl_tokens":0}`;
        });
      return jsonAnswer(200, `[${parts.join(",")}]`);
    },
  };
}

function loadList(loads: readonly PotentialLoad[]): string {
  const items = loads.map(
    ({ rank, prefillTokens, decodeBlocks, activeRequests }) =>
      `{"worker_id":${rank.worker.id},"dp_rank":${rank.dpRank},"potential_prefill_tokens":${prefillTokens},` +
      `"potential_decode_blocks":${decodeBlocks},"active_requests":${activeRequests}}`,
  );
  return `[${items.join(",")}]`;
}
