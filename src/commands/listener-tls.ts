import { isIP } from "node:net";
import { type Config, parseAddress } from "../config/index.ts";
import type { HttpTls } from "../http/index.ts";

/** The transport security that the settings ask for. */
export function tlsOf({ mode, certFile = "", keyFile = "", reloadIntervalMs }: Config["routeApi"]["tls"]): HttpTls {
  return mode === "files" ? { kind: "files", certFile, keyFile, reloadIntervalMs } : { kind: mode };
}

/** Whether nobody from elsewhere can reach a listener. */
export function isLoopback(listen: string): boolean {
  if (listen === "off") return true;
  const { host } = parseAddress(listen);
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
