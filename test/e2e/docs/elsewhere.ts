/** A command of the manual that cannot run as it stands in this suite. */
export interface Elsewhere {
  /** The command in one line, without its comment; or what all of a kind look like. */
  readonly command: string | RegExp;
  readonly why: string;
  /** Shell that is run in its place: the next best check. Gets the command in one line. */
  readonly instead: (command: string) => string;
}

/** Its script is there and knows its flags; nothing is run. */
const knownFlags = (command: string): string =>
  `node test/e2e/docs/support/known-flags.ts ${command.split(/ [<>|] /)[0]}`;
/** Make knows the target and everything that it needs, and the scripts that it calls know their flags; nothing is run. */
const dryMake = (command: string): string =>
  `${command.replace(/^make /, "make --dry-run ")} >lines.txt; ` +
  "grep -o 'node [a-z/-]*\\.ts.*' lines.txt | while read -r line; do node test/e2e/docs/support/known-flags.ts $line; done";
/** kubectl takes it, and stops only at the cluster that is not there. */
const upToTheCluster = (command: string): string =>
  `if ${command} 2>said.txt; then exit 1; fi; grep -q "connection to the server .* refused" said.txt`;
/** Docker takes its flags, where it is installed; a Dockerfile is there for what is built. */
const dockerFlags = (command: string): string =>
  `test -f Dockerfile; command -v docker >/dev/null || exit 0; docker ${command.split(" ")[1]} --help >help.txt; ` +
  `for flag in ${(command.replace(/ IMAGE .*/, "").match(/ --[a-z-]+/g) ?? []).join("")}; do grep -qE -e " $flag( |$)" help.txt; done`;

/** Every command that is not run as it stands, and why. An entry that no page has any more is a failed test. */
export const elsewhere: readonly Elsewhere[] = [
  {
    command: "make demo",
    why: "it may install and build, and pull the program from under the tests that run: its last line is run",
    instead: () =>
      "make --dry-run demo >lines.txt; tail -1 lines.txt | grep -q ' node scripts/demo/main.ts$'; node scripts/demo/main.ts",
  },
  {
    command: /^make (?!build && )/,
    why: "whole builds, test runs (this one among them) and benches of half an hour",
    instead: dryMake,
  },
  {
    command: /^(?:make build && |[A-Z_]+=\S+ )?(?:node|node_modules\/\.bin\/node) bench\//,
    why: "load generators, whose figures nobody could use beside other tests",
    instead: (command) =>
      command.includes("/NAME/")
        ? "test -f bench/hit-rate/main.ts"
        : knownFlags(command.replace(/^(?:make build && |[A-Z_]+=\S+ )/, "")),
  },
  {
    command: /^npm run /,
    why: "test runs of their own, most of which need a Dynamo frontend or the engines' code; docs writes into the repository",
    instead: knownFlags,
  },
  {
    command: /^(?:node|node_modules\/\.bin\/node) (?:scripts|test)\/(?!support\/)/,
    why: "minutes of work, or in need of a Dynamo frontend, which make test-live installs",
    instead: knownFlags,
  },
  {
    command: /^(?:ENGINES="[^"]+" )?scripts\/oracle\/engines\/setup\.sh$/,
    why: "it downloads 400 MB",
    instead: () => "sh -n scripts/oracle/engines/setup.sh; grep -q ENGINES scripts/oracle/engines/setup.sh",
  },
  {
    command: ".cache/oracle/engines/venv/bin/python scripts/oracle/engines/answer.py vllm MODEL_FOLDER < cases.jsonl",
    why: "it needs what setup.sh of the line above downloads",
    instead: () => "python3 -c 'import ast, sys; ast.parse(open(\"scripts/oracle/engines/answer.py\").read())'",
  },
  {
    command: /^docker (?:build|push) /,
    why: "the container suite builds the image (test/containers); the registry is the reader's",
    instead: dockerFlags,
  },
  {
    command: /^docker run .* IMAGE /,
    why: "the container suite runs the image (test/containers/picker-image.test.ts)",
    instead: (command) => `${withoutContainer(command)}; ${dockerFlags(command)}`,
  },
  {
    command: "kubectl create namespace inference",
    why: "the cluster is the reader's",
    instead: (command) => `${command} --dry-run=client`,
  },
  {
    command: /^kubectl apply -k k8s\//,
    why: "the cluster is the reader's; make test-kubernetes sends all manifests to a real API server",
    instead: (command) =>
      `kubectl kustomize ${command.split(" ").at(-1)} >built.yaml; grep -q "kind: Deployment" built.yaml`,
  },
  {
    command: /^kubectl -n inference rollout (?:status|undo) deployment\/pointsman$/,
    why: "the cluster is the reader's",
    instead: (command) =>
      `kubectl kustomize k8s/overlays/istio/aggregated | grep -qx "  name: pointsman"; ${upToTheCluster(command)}`,
  },
  {
    command: /^kubectl (?:-n|--namespace) \S+ port-forward pod\/POD \d+$/,
    why: "the cluster is the reader's",
    instead: upToTheCluster,
  },
  {
    command: /^helm install /,
    why: "the cluster is the reader's: rendered and checked by the chart's schema",
    instead: (command) => `${command} --dry-run=client`,
  },
  {
    command: "kubectl create configmap pointsman-dashboard --from-file=k8s/observability/dashboard.json",
    why: "the cluster is the reader's",
    instead: (command) => `${command} --dry-run=client -o yaml >dashboard.yaml`,
  },
  {
    command: "kubectl label configmap pointsman-dashboard grafana_dashboard=1",
    why: "the cluster is the reader's: the object of the line before is labelled",
    instead: (command) => command.replace("configmap pointsman-dashboard", "--local -f dashboard.yaml"),
  },
  {
    command: /^\{ printf 'apiVersion: monitoring.* \| kubectl apply -f -$/,
    why: "the cluster is the reader's: what is sent is YAML with the rules in it",
    instead: (command) =>
      `${command.replace(" | kubectl apply -f -", "")} >rule.yaml; node -e 'const rule = require("yaml").parse(fs.readFileSync("rule.yaml", "utf8")); process.exit(rule.spec.groups.length > 0 ? 0 : 1)'`,
  },
  {
    command: /^ACL SETUSER pointsman on >PASSWORD /,
    why: "for Redis, not for a shell: rights.test.ts and redis-link.test.ts give real servers the line",
    instead: () => "grep -q 'ACL SETUSER' test/e2e/queue/rights.test.ts test/e2e/replicas/redis-link.test.ts",
  },
];

/** What is run in the container, run here. */
function withoutContainer(command: string): string {
  if (command.includes("check-config")) return "pointsman check-config --config picker.yaml >checked.yaml";
  return "grep -q sbom.spdx.json Dockerfile";
}
