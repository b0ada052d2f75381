import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { afterEach, describe, expect, it } from "vitest";

/** Sends PING and QUIT and returns all that comes back. */
async function ping(port: number): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.write("PING\r\nQUIT\r\n");
  return await text(socket);
}

describe.each([{ image: "redis:8.2.3" }, { image: "valkey/valkey:9.1.2" }])("$image in a container", ({ image }) => {
  let container: StartedTestContainer | undefined;
  afterEach(async () => {
    await container?.stop();
  });

  it("starts and answers PING on a mapped port", async () => {
    container = await new GenericContainer(image)
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
      .withStartupTimeout(120_000)
      .start();
    expect(await ping(container.getMappedPort(6379))).toBe("+PONG\r\n+OK\r\n");
  });
});
