import { Agent, type Dispatcher, request } from "undici";
import { stringify } from "yaml";
import type { KubeInput, KubeObject } from "./kube-object.ts";
import { apiVersionOf, collectionPath, type ResourceKind } from "./resource-kinds.ts";

/** Where an API server is, and who the client is. */
export interface KubeAccess {
  readonly url: string;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** PEM of the authority that vouches for the server. */
  readonly authority?: string;
}

/** A file for `kubectl` and for the picker. */
export function kubeconfig({ url, token, authority }: KubeAccess, namespace: string): string {
  const trust =
    authority === undefined ? {} : { "certificate-authority-data": Buffer.from(authority).toString("base64") };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: url, ...trust } }],
    users: [{ name: "test", user: token === undefined ? {} : { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test", namespace } }],
    "current-context": "test",
  });
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Writes objects into an API server, ours or a real one, in one namespace. */
export class KubeClient {
  readonly namespace: string;
  readonly #access: KubeAccess;
  readonly #agent: Agent;

  constructor(access: KubeAccess, namespace: string) {
    this.#access = access;
    this.namespace = namespace;
    this.#agent = new Agent(access.authority === undefined ? {} : { connect: { ca: access.authority } });
  }

  async create(kind: ResourceKind, input: KubeInput): Promise<KubeObject> {
    const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...input };
    return await this.send("POST", this.#path(kind), object);
  }

  async get(kind: ResourceKind, name: string): Promise<KubeObject> {
    return await this.send("GET", this.#path(kind, name));
  }

  /** JSON merge patch. */
  async patch(kind: ResourceKind, name: string, patch: object): Promise<KubeObject> {
    return await this.send("PATCH", this.#path(kind, name), patch);
  }

  async patchStatus(kind: ResourceKind, name: string, status: object): Promise<KubeObject> {
    return await this.send("PATCH", `${this.#path(kind, name)}/status`, { status });
  }

  /** @param graceSeconds above 0: a pod is only stamped as leaving, until it is deleted with 0 */
  async delete(kind: ResourceKind, name: string, graceSeconds = 0): Promise<void> {
    await this.send("DELETE", this.#path(kind, name), { gracePeriodSeconds: graceSeconds });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Any request with a JSON body. Throws on a status that is not 2xx. */
  async send(method: Method, path: string, body?: object): Promise<KubeObject> {
    const { statusCode, body: answer } = await this.request(method, path, body);
    const text = await answer.text();
    if (statusCode >= 300) throw new KubeRequestError(`${method} ${path} answered ${statusCode}: ${text}`, statusCode);
    return JSON.parse(text) as KubeObject;
  }

  /** The answer, whatever it is; its body has to be read or destroyed. */
  async request(method: Method, path: string, body?: object): Promise<Dispatcher.ResponseData> {
    const { url, token } = this.#access;
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    return await request(`${url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { "content-type": type, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  #path(kind: ResourceKind, name?: string): string {
    const collection = collectionPath(kind, this.namespace);
    return name === undefined ? collection : `${collection}/${name}`;
  }
}

/** The server's answer was not a success. */
export class KubeRequestError extends Error {
  override readonly name = "KubeRequestError";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
