// Usage: node_modules/.bin/node scripts/kubernetes/record-schemas.ts
// Records the structure of the published schemas that our manifests are tested against, into test/fixtures/kubernetes/schemas.jsonl, one
// kind a line with its origin. Needs Go and npm: the sources are Go modules, whose contents their checksums pin, and one npm package.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { declaredSchema } from "./declared-schema.ts";
import { referredDefinitions, type Schema, structuralSchema } from "./structural-schema.ts";

/** One line of the fixture. */
interface RecordedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly origin: string;
  readonly schema: Schema;
}

const kubernetes = "k8s.io/kubernetes@v1.37.1";
const builtIn: Readonly<Record<string, readonly string[]>> = {
  api__v1: ["ConfigMap", "Namespace", "Secret", "Service", "ServiceAccount"],
  apis__apps__v1: ["Deployment"],
  apis__autoscaling__v2: ["HorizontalPodAutoscaler"],
  "apis__networking.k8s.io__v1": ["NetworkPolicy"],
  apis__policy__v1: ["PodDisruptionBudget"],
  "apis__rbac.authorization.k8s.io__v1": ["Role", "RoleBinding"],
};

const inference = "sigs.k8s.io/gateway-api-inference-extension@v1.5.0";
const custom: readonly { readonly module: string; readonly file: string; readonly kinds: readonly string[] }[] = [
  {
    module: "sigs.k8s.io/gateway-api@v1.6.3",
    file: "config/crd/standard/gateway.networking.k8s.io_gateways.yaml",
    kinds: ["Gateway"],
  },
  {
    module: "sigs.k8s.io/gateway-api@v1.6.3",
    file: "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
    kinds: ["HTTPRoute"],
  },
  {
    module: inference,
    file: "config/crd/bases/inference.networking.k8s.io_inferencepools.yaml",
    kinds: ["InferencePool"],
  },
  {
    module: inference,
    file: "config/crd/bases/inference.networking.x-k8s.io_inferenceobjectives.yaml",
    kinds: ["InferenceObjective"],
  },
  { module: "istio.io/api@v1.32.0", file: "kubernetes/customresourcedefinitions.gen.yaml", kinds: ["DestinationRule"] },
  {
    module: "github.com/envoyproxy/gateway@v1.9.1",
    file: "charts/gateway-helm/charts/crds/crds/generated/gateway.envoyproxy.io_clienttrafficpolicies.yaml",
    kinds: ["ClientTrafficPolicy"],
  },
];

const gke = "@kubernetes-models/gke@4.6.2";
const declared = { file: "networking.gke.io/v1", kinds: ["GCPBackendPolicy", "HealthCheckPolicy"] };

const work = mkdtempSync(join(tmpdir(), "pointsman-schemas-"));
try {
  const recorded = [...builtInKinds(), ...customKinds(), ...declaredKinds()];
  const target = new URL("../../test/fixtures/kubernetes/schemas.jsonl", import.meta.url);
  writeFileSync(target, recorded.map((each) => `${JSON.stringify(each)}\n`).join(""));
  for (const { apiVersion, kind, origin } of recorded) console.log(`${apiVersion} ${kind}: ${origin}`);
} finally {
  rmSync(work, { recursive: true });
}

function builtInKinds(): RecordedKind[] {
  const folder = join(moduleFolder(kubernetes), "api/openapi-spec/v3");
  return Object.entries(builtIn).flatMap(([group, kinds]) => {
    const { components } = JSON.parse(readFileSync(join(folder, `${group}_openapi.json`), "utf8")) as {
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    };
    return kinds.map((kind) => builtInKind(kind, components.schemas, `${kubernetes} ${group}`));
  });
}

function builtInKind(kind: string, all: Readonly<Record<string, Schema>>, origin: string): RecordedKind {
  for (const source of Object.values(all)) {
    const names = source["x-kubernetes-group-version-kind"] as
      | readonly { readonly group: string; readonly version: string; readonly kind: string }[]
      | undefined;
    const [name, ...others] = names ?? [];
    if (name?.kind !== kind || others.length > 0) continue;
    const root = structuralSchema(source);
    const apiVersion = name.group === "" ? name.version : `${name.group}/${name.version}`;
    return { apiVersion, kind, origin, schema: { ...root, $defs: referredDefinitions(root, all) } };
  }
  throw new Error(`${origin} has no ${kind}`);
}

/** What is read of a CustomResourceDefinition. */
interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

function customKinds(): RecordedKind[] {
  return custom.flatMap(({ module, file, kinds }) => {
    const text = readFileSync(join(moduleFolder(module), file), "utf8");
    const definitions = parseAllDocuments(text).map((document) => document.toJS() as Definition | null);
    return definitions
      .filter((definition) => definition !== null && kinds.includes(definition.spec.names.kind))
      .flatMap((definition) => versionsOf(definition as Definition, `${module} ${file}`));
  });
}

function versionsOf({ spec }: Definition, origin: string): RecordedKind[] {
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name, schema }) => ({
      apiVersion: `${spec.group}/${name}`,
      kind: spec.names.kind,
      origin,
      schema: structuralSchema(withObjectMembers(schema.openAPIV3Schema)),
    }));
}

/** Every object has them, whether or not its definition says so. */
function withObjectMembers(schema: Schema): Schema {
  const members = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } };
  return { ...schema, properties: { ...members, ...(schema["properties"] as Schema) } };
}

function declaredKinds(): RecordedKind[] {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", work, gke], { cwd: work });
  execFileSync("sh", ["-c", "tar xzf *.tgz"], { cwd: work });
  return declared.kinds.map((kind) => ({
    apiVersion: declared.file,
    kind,
    origin: `${gke} ${declared.file}`,
    schema: declaredSchema(readFileSync(join(work, "package", declared.file, `${kind}.d.ts`), "utf8"), `I${kind}`),
  }));
}

function moduleFolder(module: string): string {
  const output = execFileSync("go", ["mod", "download", "-json", module], { cwd: work, encoding: "utf8" });
  return (JSON.parse(output) as { readonly Dir: string }).Dir;
}
