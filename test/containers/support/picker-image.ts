import { execFile } from "node:child_process";
import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { testModelFolder } from "../../e2e/support/model-folder.ts";
import type { PickerLauncher } from "../../e2e/support/picker.ts";

const run = promisify(execFile);

/** The image that `scripts/ci/images.sh` makes by the Dockerfile. */
export const image = "pointsman:test";

/** What the manifests of k8s/ ask for: no rights, a root that cannot be written. The image itself says as whom it runs. */
export const hardening = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"] as const;

/** What Docker prints. Rejects with its complaint. */
export async function docker(...args: readonly string[]): Promise<string> {
  return (await run("docker", args, { maxBuffer: 64 << 20 })).stdout;
}

/** Runs Node in the image. Rejects with what it printed when it fails. */
export async function nodeInImage(script: string): Promise<string> {
  const entrypoint = ["--entrypoint", "/usr/local/bin/node"];
  return docker("run", "--rm", "--network", "none", ...hardening, ...entrypoint, image, "-e", script);
}

/** The picker in a container on the host's network, so that Envoy and workers on loopback addresses reach it, and it them. */
export const inContainer: PickerLauncher = async (configFile) => {
  // Another user than the test's has to read them.
  await chmod(dirname(configFile), 0o755);
  await chmod(configFile, 0o644);
  const [folder, models] = [dirname(configFile), testModelFolder()];
  const mounts = ["--volume", `${folder}:${folder}:ro`, "--volume", `${models}:${models}:ro`];
  const args = ["run", "--rm", "--network", "host", ...hardening, ...mounts, image, "serve", "--config", configFile];
  return { name: "picker's container", file: "docker", args };
};
