import type { Config } from "../config/index.ts";
import type { HttpTls } from "../http/index.ts";

/** The transport security that the settings ask for. */
export function tlsOf(tls: Config["routeApi"]["tls"]): HttpTls {
  const { mode, certFile = "", keyFile = "", clientCaFile, reloadIntervalMs } = tls;
  if (mode === "off") return { kind: "off" };
  const common = { reloadIntervalMs, ...(clientCaFile === undefined ? {} : { clientCaFile }) };
  return mode === "files" ? { kind: "files", certFile, keyFile, ...common } : { kind: "self-signed", ...common };
}
