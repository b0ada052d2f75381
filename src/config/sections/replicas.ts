import { z } from "zod";
import { checkedText } from "../setting-types.ts";
import { peers } from "./replicas-peers.ts";
import { redis } from "./replicas-redis.ts";

/** What replicas of the picker share. */
export const replicas = z
  .strictObject({
    id: checkedText((text) =>
      /^[A-Za-z0-9._-]{1,64}$/.test(text) ? undefined : "expected 1 to 64 letters, digits, dots, dashes or underscores",
    )
      .optional()
      .describe("Name of this replica, part of the ids of its reservations. Absent = the name of the host."),
    peers,
    redis,
  })
  .prefault({})
  .describe("What several replicas of the picker share.");
