import { type Config, isInKubernetes } from "../config/index.ts";

/** What keeps a picker from answering requests; each is a line for people. */
type ReadinessObstacle = "models" | "recovery" | "workers" | "draining";

const reasons: Readonly<Record<ReadinessObstacle, string>> = {
  models: "the models are being loaded",
  recovery: "the index is being restored from a peer",
  workers: "it is not known yet who the workers are: the Kubernetes API has not told",
  draining: "it is draining, and takes no new requests",
};

/** Whether a picker answers requests, and why not. */
export class Readiness {
  readonly #obstacles: Set<ReadinessObstacle>;

  /** @param obstacles what has to be awaited */
  constructor(obstacles: readonly ReadinessObstacle[]) {
    this.#obstacles = new Set(obstacles);
  }

  get isReady(): boolean {
    return this.#obstacles.size === 0;
  }

  /** For people; empty = it is ready. */
  get reasons(): readonly string[] {
    return [...this.#obstacles].map((obstacle) => reasons[obstacle]);
  }

  /** @param isThere whether it is in the way from here on */
  set(obstacle: ReadinessObstacle, isThere: boolean): void {
    if (isThere) this.#obstacles.add(obstacle);
    else this.#obstacles.delete(obstacle);
  }
}

/** Of a picker that begins to start. */
export function readinessOf(config: Config): Readiness {
  const obstacles: ReadinessObstacle[] = ["models"];
  if (config.replicas.peers.urls.length > 0) obstacles.push("recovery");
  if (isInKubernetes(config)) obstacles.push("workers");
  return new Readiness(obstacles);
}
