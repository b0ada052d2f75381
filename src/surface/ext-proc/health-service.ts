import type { ServerUnaryCall, ServerWritableStream, sendUnaryData } from "@grpc/grpc-js";
import { EXT_PROC_SERVICE_NAME } from "./service-definitions.ts";

interface HealthCheckRequest {
  readonly service?: string;
}

interface HealthCheckResponse {
  readonly status: number;
}

type WatchCall = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/** grpc.health.v1.HealthCheckResponse.ServingStatus */
const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

const LIVENESS = "liveness";

/** Names by which gateways, Kubernetes and other endpoint pickers' deployments ask for readiness. */
const readinessNames: ReadonlySet<string> = new Set(["", "readiness", "inference-extension", EXT_PROC_SERVICE_NAME]);

/**
 * grpc.health.v1 for one or more servers. `liveness` is SERVING while the process answers; every other known name follows
 * readiness; an unknown name is the status SERVICE_UNKNOWN, not an RPC error, as llm-d's picker does it.
 */
export class HealthService {
  readonly #watchers = new Set<WatchCall>();
  #isReady = false;
  #isDraining = false;

  setReady(isReady: boolean): void {
    this.#isReady = isReady;
    this.#tellWatchers();
  }

  /** Not ready from here on, whatever `setReady` says. */
  drain(): void {
    this.#isDraining = true;
    this.#tellWatchers();
  }

  /** Methods for `Server.addService`. */
  readonly implementation = {
    Check: (
      call: ServerUnaryCall<HealthCheckRequest, HealthCheckResponse>,
      reply: sendUnaryData<HealthCheckResponse>,
    ): void => reply(null, { status: this.#statusOf(call.request) }),
    Watch: (call: WatchCall): void => this.#watch(call),
  };

  #watch(call: WatchCall): void {
    this.#watchers.add(call);
    call.on("cancelled", () => this.#watchers.delete(call));
    call.on("error", () => this.#watchers.delete(call));
    call.write({ status: this.#statusOf(call.request) });
  }

  #tellWatchers(): void {
    for (const call of this.#watchers) call.write({ status: this.#statusOf(call.request) });
  }

  #statusOf({ service = "" }: HealthCheckRequest): number {
    if (service === LIVENESS) return SERVING;
    if (!readinessNames.has(service)) return SERVICE_UNKNOWN;
    return this.#isReady && !this.#isDraining ? SERVING : NOT_SERVING;
  }
}
