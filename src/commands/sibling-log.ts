import type { SiblingStatus } from "../replicas/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** Writes who comes and goes. Of others that have this replica's name it warns once. */
export function siblingLog(log: Logger, ownName: string) {
  let isWarned = false;
  return {
    joined: (replicaId: string, replica: string) => {
      log.info({ replica, replicaId }, "another replica is heard");
      if (replica !== ownName || isWarned) return;
      isWarned = true;
      const text =
        "another replica has the name of this one: give each its own (setting `replicas.id`), or calls on the other's reservations are answered 404";
      log.warn({ replica, replicaId, setting: "replicas.id" }, text);
    },
    left: (replicaId: string, replica: string, why: "silent" | "farewell") => {
      const text = "another replica is gone: its load no longer counts";
      if (why === "farewell") log.info({ replica, replicaId, why }, text);
      else log.warn({ replica, replicaId, why }, text);
    },
  };
}

/** Whether one of them has this name: calls of reservations do not find their way then. */
export function hasName(siblings: readonly Pick<SiblingStatus, "name">[], name: string): boolean {
  return siblings.some((sibling) => sibling.name === name);
}
