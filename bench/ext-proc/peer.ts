import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { freePorts } from "../../test/e2e/support/free-ports.ts";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { IdleEndpoints } from "./idle-endpoints.ts";
import { type RunningPicker, untilListening, workerCount } from "./running-picker.ts";

/**
 * Starts llm-d's endpoint picker without Kubernetes, on endpoints read from a file.
 * @param folder where the file goes @param config a file of peer/, without .yaml
 */
export async function startPeer(binary: string, folder: string, config: string): Promise<RunningPicker> {
  const endpoints = await IdleEndpoints.start(workerCount);
  try {
    await writeFile(join(folder, "endpoints.yaml"), stringify({ endpoints: endpoints.ports.map(endpoint) }));
    const [port = 0, healthPort = 0, metricsPort = 0] = await freePorts(3);
    const ports = { "grpc-port": port, "grpc-health-port": healthPort, "metrics-port": metricsPort };
    const child = await startProcess(binary, folder, config, ports);
    const stop = async () => {
      // It keeps no state, and SIGTERM would make it wait half a minute for Envoy to go elsewhere.
      await child.end("SIGKILL");
      endpoints.stop();
    };
    return { port, pid: child.pid, stop };
  } catch (error) {
    endpoints.stop();
    throw error;
  }
}

function endpoint(port: number, index: number) {
  return { name: `worker-${index}`, address: "127.0.0.1", port: String(port) };
}

async function startProcess(binary: string, cwd: string, config: string, ports: { readonly "grpc-port": number }) {
  const flags = {
    ...ports,
    "config-file": fileURLToPath(new URL(`./peer/${config}.yaml`, import.meta.url)),
    "pool-name": "bench",
    "pool-namespace": "bench",
    "secure-serving": false,
    "metrics-endpoint-auth": false,
    // Off, as its chart has it, and few log lines: neither is what is compared.
    tracing: false,
    v: 1,
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const child = await OwnProcess.start({ name: "peer", file: binary, args, cwd });
  try {
    await untilListening(child, ports["grpc-port"]);
  } catch (error) {
    await child.end("SIGKILL");
    throw error;
  }
  return child;
}
