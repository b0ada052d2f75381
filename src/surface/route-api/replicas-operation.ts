import { jsonAnswer, type Operation } from "../../http/index.ts";
import { exactJson, withSnakeKeys } from "./json-text.ts";

/** What is known of this replica and the others; undefined where load is not shared. */
export type ReplicasOf = () => object | undefined;

/** Looking at the replicas of the picker. */
export function replicasOperation(replicas: ReplicasOf): Operation {
  const integer = { type: "integer" } as const;
  const text = { type: "string" } as const;
  const sibling = {
    id: text,
    name: text,
    heard_ms_ago: { type: "number" },
    missed: integer,
    requests: integer,
    ranks: integer,
  } as const;
  return {
    method: "GET",
    path: "/replicas",
    id: "listReplicas",
    tag: "service",
    summary: "Tells which other replicas of the picker are heard, where they share their load",
    access: "token",
    answers: {
      200: {
        description:
          "This replica, whether it reaches Redis (`is_connected`), whether another one has its name (`is_name_shared`), and the others, each with the requests that it runs and the ranks that they are on. Only `is_shared: false` where load is not shared.",
        schema: {
          type: "object",
          required: ["is_shared"],
          properties: {
            is_shared: { type: "boolean" },
            id: text,
            name: text,
            is_connected: { type: "boolean" },
            is_name_shared: { type: "boolean" },
            siblings: { type: "array", items: { type: "object", properties: sibling } },
          },
        },
      },
    },
    handle: () => {
      const status = replicas();
      return jsonAnswer(200, exactJson(withSnakeKeys({ isShared: status !== undefined, ...status })));
    },
  };
}
