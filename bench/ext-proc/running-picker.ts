import { connect } from "node:net";
import type { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { until } from "../../test/e2e/support/until.ts";

/** Workers that each picker chooses between. */
export const workerCount = 8;

/** An ext_proc server that is measured. */
export interface RunningPicker {
  /** Of its ext_proc server on 127.0.0.1, plain text. */
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Resolves once `port` takes connections. Rejects with the child's last output when it ends before, or after 30 s. */
export async function untilListening(child: OwnProcess, port: number): Promise<void> {
  try {
    await until(() => child.hasExited || accepts(port), { what: `port ${port}`, timeoutMs: 30_000, intervalMs: 100 });
  } catch (cause) {
    throw new Error(child.tail(), { cause });
  }
  child.assertRunning();
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).on("error", () => resolve(false));
  });
}
