import { lstat, unlink } from "node:fs/promises";
import { connect } from "node:net";

/**
 * Makes the path free for a Unix socket: removes a socket that an ended process left behind, and nothing else.
 * @throws Error when something else is there, or somebody listens
 */
export async function freeSocketPath(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} is there and is no socket`);
  if (await isAnswered(path)) throw new Error(`${path}: another process listens there`);
  await unlink(path);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("connect", () => finish(true)).once("error", () => finish(false));
  });
}
