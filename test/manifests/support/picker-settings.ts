import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { parseDocument } from "yaml";
import { checkConfig } from "../../../src/commands/check-config.ts";
import { type Config, loadConfig } from "../../../src/config/index.ts";
import { testModelFolder } from "../../e2e/support/model-folder.ts";
import type { Manifest } from "./tools.ts";

/** The one manifest of a kind, or of a kind and a name. @throws Error when there is none, or another */
export function only(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter((each) => each.kind === kind && (name === undefined || each.metadata.name === name));
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} of ${kind} ${name ?? ""}`);
  return first;
}

/** What a container of ours is called, by what it is. */
const parts = ["picker", "proxy", "queue"];

/** The Deployment of the picker itself, or of the proxy or the queue's front. */
export function pickerDeployment(manifests: readonly Manifest[]): Manifest {
  const found = manifests.filter(({ kind, spec }) => kind === "Deployment" && parts.includes(containerOf(spec).name));
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} pickers`);
  return first;
}

// biome-ignore lint/suspicious/noExplicitAny: checked by the schemas
function containerOf(spec: any): any {
  return spec.template.spec.containers[0];
}

/**
 * The settings that a picker of these manifests would run with: those of its ConfigMap and of its environment, after all that
 * `check-config` looks at. Model files come from a folder instead of the hub, and files of mounted secrets are stood in for.
 * Rejects with ConfigError.
 */
export async function pickerSettings(manifests: readonly Manifest[]): Promise<Config> {
  const { template } = pickerDeployment(manifests)["spec"];
  const [container] = template.spec.containers;
  const secrets = mktemp();
  try {
    const standIn = (text: string) => withSecretFiles(text, secretMounts(template.spec, container), secrets);
    const env = Object.fromEntries(
      (container.env ?? []).map(({ name, value }: { name: string; value: string }) => [name, standIn(value)]),
    );
    const text = standIn(withLocalModels(settingsFile(manifests, template.spec, container)));
    const config = loadConfig({ env, text });
    await checkConfig(config, new Writable({ write: (_chunk, _encoding, done) => done() }));
    return config;
  } finally {
    rmSync(secrets, { recursive: true });
  }
}

function mktemp(): string {
  return mkdtempSync(join(tmpdir(), "pointsman-secrets-"));
}

/** Where secrets are mounted. */
// biome-ignore lint/suspicious/noExplicitAny: checked by the schemas
function secretMounts(pod: any, container: any): readonly string[] {
  const secrets = pod.volumes.filter(({ secret }: { secret?: object }) => secret !== undefined);
  const names = secrets.map(({ name }: { name: string }) => name);
  return container.volumeMounts
    .filter(({ name }: { name: string }) => names.includes(name))
    .map(({ mountPath }: { mountPath: string }) => mountPath);
}

const keyList = `[{ name: someone, sha256: "${"0".repeat(64)}" }]`;

/** Every path below a mount becomes that of a file that there is. */
function withSecretFiles(text: string, mounts: readonly string[], folder: string): string {
  return mounts.reduce(
    (before, mount) =>
      before.replaceAll(new RegExp(`${mount}/([\\w.-]+)`, "g"), (_path, name: string) => {
        writeFileSync(join(folder, name), name.endsWith(".yaml") ? keyList : "secret");
        return join(folder, name);
      }),
    text,
  );
}

function withLocalModels(text: string): string {
  const document = parseDocument(text);
  const { models = [] } = document.toJS() as { readonly models?: readonly Record<string, unknown>[] };
  for (const [i, { hubId }] of models.entries()) {
    if (hubId === undefined) continue;
    document.deleteIn(["models", i, "hubId"]);
    document.setIn(["models", i, "folder"], testModelFolder());
  }
  return document.toString();
}

/** The text of the file that `--config` names: it has to be mounted. */
// biome-ignore lint/suspicious/noExplicitAny: checked by the schemas
function settingsFile(manifests: readonly Manifest[], pod: any, container: any): string {
  const [command, flag, path] = container.args as readonly string[];
  if (command !== "serve" || flag !== "--config" || path === undefined) throw new Error("serve --config was expected");
  const folder = path.slice(0, path.lastIndexOf("/"));
  const mount = container.volumeMounts.find(({ mountPath }: { mountPath: string }) => mountPath === folder);
  const volume = pod.volumes.find(({ name }: { name: string }) => name === mount?.name);
  const text: unknown = only(manifests, "ConfigMap", volume?.configMap?.name)["data"][path.slice(folder.length + 1)];
  if (typeof text !== "string") throw new Error(`${path} is not in the ConfigMap`);
  return text;
}
