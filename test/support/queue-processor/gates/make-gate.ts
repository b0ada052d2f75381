import { Redis } from "ioredis";
import type { GateOptions, GateParams } from "../options.ts";
import { type Gate, openGate } from "./gate.ts";
import { allOf, localGate, tierGate, waitingGate } from "./local-gates.ts";
import { budgetGate, QuotaGate } from "./redis-gates.ts";

/** What gates need of the processor. */
export interface GatePlace {
  nowMs(): number;
  /** A connection to a Redis of the gate's own, closed with the processor. */
  redisAt(address: string | undefined): Redis;
}

/** The gate of this type; one that the processor does not know is open. */
export function makeGate({ gate_type: type = "", gate_params: params = {} }: GateOptions, place: GatePlace): Gate {
  const make = makers[type];
  return make === undefined ? openGate : make(params, place);
}

const makers: Readonly<Record<string, (params: GateParams, place: GatePlace) => Gate>> = {
  constant: () => openGate,
  redis: (params, place) => budgetGate(place.redisAt(addressOf(params)), params),
  "redis-quota": (params, place) => new QuotaGate(place.redisAt(addressOf(params)), params, () => place.nowMs()),
  "local-max-concurrency": (params) => localGate(Number(params["limit"])),
  "wait-on-refuse": (params, place) => waitingGate(makeGate(params["gate"] as GateOptions, place)),
  composite: (params, place) => allOf((params["gates"] as GateOptions[]).map((each) => makeGate(each, place))),
  "tier-priority-admission": (params, place) =>
    tierGate(
      makeGate(
        {
          gate_type: String(params["saturation_gate"]),
          gate_params: (params["saturation_gate_params"] ?? {}) as GateParams,
        },
        place,
      ),
      String(params["tier_label"] ?? "tier"),
    ),
};

function addressOf(params: GateParams): string | undefined {
  return typeof params["address"] === "string" ? params["address"] : undefined;
}

/** Keeps the connections that gates ask for. */
export class GateConnections {
  readonly #own: Redis;
  readonly #others = new Map<string, Redis>();

  /** @param own where the queues are; used by gates that name no address */
  constructor(own: Redis) {
    this.#own = own;
  }

  at(address: string | undefined): Redis {
    if (address === undefined) return this.#own;
    const known = this.#others.get(address);
    if (known !== undefined) return known;
    const [host = "", port = "6379"] = address.split(":");
    const made = new Redis({ host, port: Number(port), maxRetriesPerRequest: 0, enableOfflineQueue: true });
    made.on("error", () => undefined);
    this.#others.set(address, made);
    return made;
  }

  close(): void {
    for (const redis of this.#others.values()) redis.disconnect();
  }
}
