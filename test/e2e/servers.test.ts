import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { serverBinary } from "./support/envoy-binary.ts";
import { freePorts } from "./support/free-ports.ts";
import { OwnProcess } from "./support/own-process.ts";
import { until } from "./support/until.ts";

/** Sends PING as Redis clients do and returns the reply line. */
async function ping(port: number): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    socket.write("*1\r\n$4\r\nPING\r\n");
    const [reply] = await once(socket, "data");
    return String(reply);
  } finally {
    socket.destroy();
  }
}

describe.each(["redis-server", "valkey-server"] as const)("%s from its wheel", (name) => {
  let server: OwnProcess | undefined;
  let folder: string | undefined;
  afterEach(async () => {
    await server?.end();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it("starts, answers PING and stops on SIGTERM", async () => {
    const [port = 0] = await freePorts(1);
    folder = await mkdtemp(join(tmpdir(), `pointsman-${name}-`));
    const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
    server = await OwnProcess.start({ name, file: serverBinary(name), args });
    const reply = await until(() => ping(port), { what: `${name} to answer` });
    expect(reply).toBe("+PONG\r\n");
    expect(await server.end("SIGTERM")).toBe("exit code 0");
  });
});
