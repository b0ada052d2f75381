import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Config } from "../config/index.ts";

const uuid = /^(.{1,64})\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Ids of the reservations that one replica makes. They name it, so that a call that reaches another one can be told where it belongs. */
export class ReservationIds {
  /** Name of this replica. */
  readonly replica: string;

  constructor(replica: string) {
    this.replica = replica;
  }

  /** An id that nobody can guess. */
  make(): string {
    return `${this.replica}.${randomUUID()}`;
  }

  /** The other replica that made an id; undefined when it is one of ours, or was chosen by a caller. */
  otherReplicaOf(id: string): string | undefined {
    const [, replica] = uuid.exec(id) ?? [];
    return replica === this.replica ? undefined : replica;
  }
}

/** The name of this replica: as configured, else that of the host, which in Kubernetes is the pod's. */
export function replicaName({ replicas }: Config): string {
  return (
    replicas.id ??
    (hostname()
      .replaceAll(/[^A-Za-z0-9._-]/g, "-")
      .slice(0, 64) ||
      "pointsman")
  );
}
