/** How the blocks of a prompt get from the worker that prefills to the one that decodes, and so what both are sent. */
export type HandoverProtocol =
  /** SGLang: both get the request at once, and meet in a bootstrap room. */
  | "sglang"
  /** vLLM's NixlConnector: the decode worker fetches what the prefill worker's answer names. */
  | "nixl"
  /** vLLM's MooncakeConnector: both get the id of a transfer. */
  | "mooncake"
  /** vLLM's MoRIIOConnector, by reading. */
  | "moriio"
  /** Likewise, by writing: both get the request at once. */
  | "moriio-write"
  /** A shared store: nothing has to be told. */
  | "store";

/** A generating API, as capabilities of engines are told. */
export type HandoverApi = "chat" | "completions" | "responses" | "messages" | "generate";

/** How a worker takes part in requests that the proxy splits. */
export interface HandoverSettings {
  readonly protocol: HandoverProtocol;
  /** Host at which decode workers reach this one; undefined = its endpoint's. */
  readonly bootstrapHost: string | undefined;
  /** Undefined = none is told, or the protocol's own. */
  readonly bootstrapPort: number | undefined;
  /** Of its KV connector; undefined = not known. */
  readonly engineId: string | undefined;
  /** Of MoRI-IO by writing. */
  readonly handshakePort: number;
  readonly notifyPort: number;
  /** Tensor-parallel size; undefined = not told. */
  readonly tpSize: number | undefined;
  /** APIs of the worker that drop the fields of a handover. */
  readonly ignoredOn: ReadonlySet<HandoverApi>;
  /** Whether it can serve a request without a worker that prefills for it. */
  readonly servesAlone: boolean;
}
