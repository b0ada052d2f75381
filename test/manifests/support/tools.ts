import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";

/** An object of the Kubernetes API, as a manifest has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas have been checked before anything of it is looked at
  readonly [member: string]: any;
}

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Path of a file or folder of the repository. */
export function inRepository(path: string): string {
  return `${root}${path}`;
}

function toolPath(name: "kubectl" | "helm"): string {
  const path = inRepository(`.cache/kubernetes-tools/${name}`);
  if (!existsSync(path))
    throw new Error(`${name} is not there: scripts/setup-kubernetes-tools.sh installs it (Linux on x86-64)`);
  return path;
}

/** What a tool prints. Rejects with what it said when it failed. */
async function output(name: "kubectl" | "helm", args: readonly string[]): Promise<string> {
  // Nothing of this machine's own settings is to matter.
  const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", KUBECONFIG: "/nonexistent" };
  const { stdout } = await run(toolPath(name), args, { env, maxBuffer: 64 << 20 });
  return stdout;
}

/** Builds a kustomization. @param folder in the repository */
export async function kustomize(folder: string): Promise<readonly Manifest[]> {
  return manifestsOf(await output("kubectl", ["kustomize", inRepository(folder)]));
}

/** Values of the chart: by path, as `--set-json` takes them. */
export type ChartValues = Readonly<Record<string, unknown>>;

/**
 * Renders the chart as release `picker` in the namespace `inference`. Rejects with Helm's words.
 * @param files of values, in the repository; `values` win over theirs
 */
export async function helmTemplate(values: ChartValues, files: readonly string[] = []): Promise<readonly Manifest[]> {
  const fromFiles = files.flatMap((file) => ["--values", inRepository(file)]);
  return manifestsOf(await output("helm", ["template", "picker", ...chartArguments(values), ...fromFiles]));
}

/** Helm's own look at the chart. Rejects with what it finds. */
export async function helmLint(values: ChartValues): Promise<string> {
  return output("helm", ["lint", "--strict", ...chartArguments(values)]);
}

function chartArguments(values: ChartValues): readonly string[] {
  const settings = Object.entries(values).flatMap(([path, value]) => [
    "--set-json",
    `${path}=${JSON.stringify(value)}`,
  ]);
  return [inRepository("k8s/chart"), "--namespace", "inference", ...settings];
}

/** The objects of a YAML text with several documents. @throws Error when it is no YAML, or names a member twice */
export function manifestsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    for (const error of document.errors) throw error;
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}
