import { createHash } from "node:crypto";
import type { RequestRecord, SimWorker } from "../../../src/sim-worker/index.ts";
import type { Gateway } from "./gateway.ts";

/** A request as it arrived at a worker, and at which. */
export interface Arrival {
  readonly worker: SimWorker;
  readonly record: RequestRecord;
}

/** Where the request with this `x-request-id` arrived, once for each time it did, over all workers. */
export function arrivalsOf(gateway: Gateway, requestId: string): readonly Arrival[] {
  return gateway.workers.flatMap((worker) =>
    worker
      .requests()
      .filter((record) => headerOf(record, "x-request-id") === requestId)
      .map((record) => ({ worker, record })),
  );
}

/** The one arrival of a request. Throws when it arrived nowhere or twice. */
export function recordOf(gateway: Gateway, requestId: string): Arrival {
  const [arrival, ...more] = arrivalsOf(gateway, requestId);
  if (arrival === undefined) throw new Error(`request ${requestId} reached no worker`);
  if (more.length > 0) throw new Error(`request ${requestId} reached ${more.length + 1} workers`);
  return arrival;
}

/** The value of a request header as the worker received it; undefined when it did not. */
export function headerOf(record: RequestRecord, lowerName: string): string | undefined {
  return record.headers.find(([name]) => name.toLowerCase() === lowerName)?.[1];
}

/** SHA-256 in hex, as workers note it for each body. */
export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
