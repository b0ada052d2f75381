import { readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import type { KubeClient } from "../../support/kube-api/index.ts";

const manifests = new URL("../../../k8s/base/service-account.yaml", import.meta.url);

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly subjects?: readonly object[];
}

/** Collections of the kinds in that file. */
const plurals: Readonly<Record<string, string>> = {
  ServiceAccount: "serviceaccounts",
  Role: "roles",
  RoleBinding: "rolebindings",
};

/**
 * Makes the service account that we ship, with its rights and no others, in the client's namespace.
 * @returns a token of it, as a pod gets one
 */
export async function pickerToken(client: KubeClient): Promise<string> {
  const documents = parseAllDocuments(await readFile(manifests, "utf8")).map((document) => document.toJS() as Manifest);
  for (const manifest of documents) await client.send("POST", pathOf(manifest, client.namespace), manifest);
  const account = documents.find(({ kind }) => kind === "ServiceAccount");
  if (account === undefined) throw new Error("the manifests hold no ServiceAccount");
  const path = `${pathOf(account, client.namespace)}/${account.metadata.name}/token`;
  const spec = { expirationSeconds: 3_600 };
  const { status } = await client.send("POST", path, { spec });
  return (status as { token: string }).token;
}

function pathOf({ apiVersion, kind }: Manifest, namespace: string): string {
  const plural = plurals[kind];
  if (plural === undefined) throw new Error(`a ${kind} among the service account's manifests`);
  return `${apiVersion === "v1" ? "/api" : "/apis"}/${apiVersion}/namespaces/${namespace}/${plural}`;
}
