import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { freePorts } from "../../e2e/support/free-ports.ts";
import { OwnProcess } from "../../e2e/support/own-process.ts";
import { until } from "../../e2e/support/until.ts";
import { type KubeAccess, KubeClient } from "../../support/kube-api/index.ts";

const adminToken = "admin-of-the-test";

/** What service accounts ask for is written down. */
const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", userGroups: ["system:serviceaccounts"] }, { level: "None" }],
};

interface AuditEvent {
  readonly verb: string;
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string };
  readonly responseStatus?: { readonly code: number };
}

function actionOf({ verb, objectRef }: AuditEvent): string {
  return `${verb} ${objectRef?.apiGroup ?? ""}/${objectRef?.resource ?? ""}`;
}

/** A kube-apiserver with its etcd, and nothing else: no controllers, no scheduler, no kubelet. */
export class RealCluster {
  readonly #folder: string;
  readonly #binaries: string;
  readonly #etcdPort: number;
  readonly #port: number;
  #etcd: OwnProcess | undefined;
  #server: OwnProcess | undefined;

  private constructor(folder: string, binaries: string, etcdPort: number, port: number) {
    this.#folder = folder;
    this.#binaries = binaries;
    this.#etcdPort = etcdPort;
    this.#port = port;
  }

  /** Starts both, with the CRDs of the inference extension. */
  static async start(): Promise<RealCluster> {
    const folder = await mkdtemp(join(tmpdir(), "pointsman-cluster-"));
    const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    const cluster = new RealCluster(folder, binariesFolder(), etcdPort, port);
    try {
      await cluster.#writeFiles();
      await cluster.#startEtcd(peerPort);
      await cluster.startServer();
      await cluster.#installCrds();
    } catch (error) {
      const tails = [cluster.#etcd?.tail(), cluster.#server?.tail(10)].filter((tail) => tail !== undefined);
      await cluster.stop();
      throw new Error(`the cluster did not start:\n${tails.join("\n---\n")}`, { cause: error });
    }
    return cluster;
  }

  /** As a cluster administrator, or with another token. */
  access(token = adminToken): KubeAccess {
    // The server makes a certificate and its authority when it first starts.
    const authority = readFileSync(join(this.#folder, "certs", "apiserver.crt"), "utf8");
    return { url: `https://127.0.0.1:${this.#port}`, token, authority };
  }

  async makeNamespace(name: string): Promise<void> {
    await this.#asAdmin((client) => client.send("POST", "/api/v1/namespaces", { metadata: { name } }));
  }

  /**
   * `verb resource` of requests by service accounts that were always refused for want of a right, each once. A server that has just started
   * refuses for a moment what it allows once it has read its roles.
   */
  async refusals(): Promise<readonly string[]> {
    const lines = (await readFile(join(this.#folder, "audit.log"), "utf8")).trim().split("\n");
    const events = lines.map((line) => JSON.parse(line) as AuditEvent);
    const told = (isRefused: boolean) =>
      new Set(events.filter(({ responseStatus }) => (responseStatus?.code === 403) === isRefused).map(actionOf));
    const granted = told(false);
    return [...told(true)].filter((action) => !granted.has(action));
  }

  /** Ends the API server only. */
  async stopServer(): Promise<void> {
    await this.#server?.end("SIGKILL");
  }

  /** Starts the API server, on its port and with what etcd holds. */
  async startServer(): Promise<void> {
    const file = (name: string) => join(this.#folder, name);
    const args = [
      `--etcd-servers=http://127.0.0.1:${this.#etcdPort}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${this.#port}`,
      `--cert-dir=${file("certs")}`,
      `--token-auth-file=${file("tokens.csv")}`,
      "--authorization-mode=RBAC",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${file("accounts.pem")}`,
      `--service-account-signing-key-file=${file("accounts.pem")}`,
      "--service-cluster-ip-range=10.0.0.0/24",
      `--audit-policy-file=${file("audit.json")}`,
      `--audit-log-path=${file("audit.log")}`,
      // Nothing makes the default service account of a namespace, which it asks of each pod.
      "--disable-admission-plugins=ServiceAccount",
    ];
    const child = await OwnProcess.start({
      name: "kube-apiserver",
      file: join(this.#binaries, "kube-apiserver"),
      args,
    });
    this.#server = child;
    await until(() => this.#isReady(), {
      what: "the API server to be ready",
      timeoutMs: 90_000,
      intervalMs: 200,
      check: () => child.assertRunning(),
    });
  }

  /** Ends all of it, and removes its files. */
  async stop(): Promise<void> {
    await this.#server?.end("SIGKILL");
    await this.#etcd?.end("SIGKILL");
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #writeFiles(): Promise<void> {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(join(this.#folder, "accounts.pem"), privateKey.export({ type: "sec1", format: "pem" }));
    await writeFile(join(this.#folder, "audit.json"), JSON.stringify(auditPolicy));
    await writeFile(join(this.#folder, "tokens.csv"), `${adminToken},admin,admin,system:masters\n`);
  }

  async #startEtcd(peerPort: number): Promise<void> {
    const url = (port: number) => `http://127.0.0.1:${port}`;
    const args = [
      `--data-dir=${join(this.#folder, "etcd")}`,
      `--listen-client-urls=${url(this.#etcdPort)}`,
      `--advertise-client-urls=${url(this.#etcdPort)}`,
      `--listen-peer-urls=${url(peerPort)}`,
      `--initial-advertise-peer-urls=${url(peerPort)}`,
      `--initial-cluster=default=${url(peerPort)}`,
      // A lost test cluster is a small loss; syncing to disk is most of its time.
      "--unsafe-no-fsync",
    ];
    const child = await OwnProcess.start({ name: "etcd", file: join(this.#binaries, "etcd"), args });
    this.#etcd = child;
    const isHealthy = async () => (await fetch(`${url(this.#etcdPort)}/health`)).ok;
    await until(isHealthy, { what: "etcd to be healthy", timeoutMs: 60_000, check: () => child.assertRunning() });
  }

  async #isReady(): Promise<boolean> {
    return await this.#asAdmin((client) => isServed(client, "/readyz"));
  }

  async #installCrds(): Promise<void> {
    const folder = join(this.#binaries, "crds");
    await this.#asAdmin(async (client) => {
      const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const collections: string[] = [];
      for (const file of await readdir(folder)) {
        const crd = parse(await readFile(join(folder, file), "utf8")) as CustomResourceDefinition;
        await client.send("POST", crds, crd);
        const { group, names, versions } = crd.spec;
        collections.push(`/apis/${group}/${versions[0]?.name}/${names.plural}`);
      }
      // For a moment there is no such path, and then the server asks for patience while it makes their storage.
      for (const path of collections) {
        await until(() => isServed(client, path), { what: `${path} to be served`, timeoutMs: 30_000, intervalMs: 100 });
      }
    });
  }

  async #asAdmin<T>(act: (client: KubeClient) => Promise<T>): Promise<T> {
    const client = new KubeClient(this.access(), "default");
    try {
      return await act(client);
    } finally {
      await client.close();
    }
  }
}

interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

async function isServed(client: KubeClient, path: string): Promise<boolean> {
  const { statusCode, body } = await client.request("GET", path);
  await body.dump();
  return statusCode === 200;
}

/** Where the servers are; builds them when they are not there yet, which `make test-kubernetes` does before. */
function binariesFolder(): string {
  const setup = fileURLToPath(new URL("../../../scripts/kubernetes/setup.sh", import.meta.url));
  const printed = execFileSync(setup, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return printed.trim().split("\n").at(-1) ?? "";
}
