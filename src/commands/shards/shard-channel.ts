import { fork } from "node:child_process";
import type { FromShard, ToShard } from "./shard-messages.ts";
import type { SpawnedShard } from "./shard-process.ts";
import type { ParentPort } from "./shard-side.ts";

/**
 * Starts shards: this program again, by the same arguments and the shard's number.
 * @param program its file
 * @param args without the number
 */
export function shardSpawner(program: string, args: readonly string[]): (index: number) => SpawnedShard {
  return (index) => {
    const child = fork(program, [...args, "--shard", String(index)]);
    let waiting = 0;
    return {
      get waiting() {
        return waiting;
      },
      send: (message) => {
        if (!child.connected) return;
        waiting++;
        child.send(message, () => waiting--);
      },
      onMessage: (receive) => child.on("message", (message) => receive(message as FromShard)),
      onEnd: (ended) => {
        child.on("error", (error) => ended(error.message));
        child.once("exit", (code, signal) => ended(signal ?? `code ${code}`));
      },
      kill: (signal) => child.kill(signal),
    };
  };
}

/** The way to the process that started this one. @param self this process */
export function parentPort(self: Pick<NodeJS.Process, "send" | "connected" | "on">): ParentPort {
  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        if (self.send === undefined || !self.connected) reject(new Error("the parent is gone"));
        else self.send(message, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
      }),
    onMessage: (receive) => self.on("message", (message) => receive(message as ToShard)),
    onGone: (gone) => self.on("disconnect", gone),
  };
}
