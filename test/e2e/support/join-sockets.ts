import type { Socket } from "node:net";

/** Passes what one socket reads to the other; when one ends, so does the other. @param open both, as long as they are */
export function joinSockets(near: Socket, far: Socket, open: Set<Socket>): void {
  near.pipe(far);
  far.pipe(near);
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    open.add(socket);
    socket.on("error", () => other.destroy());
    socket.on("close", () => {
      open.delete(socket);
      other.destroy();
    });
  }
}
