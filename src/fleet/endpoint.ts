import { isIP, isIPv6 } from "node:net";

/** An address and, unless absent, a port. */
export interface Endpoint {
  /** IP address in canonical form without brackets, or a host name as given. */
  readonly host: string;
  /** 1..65535; undefined = none given. */
  readonly port: number | undefined;
}

/**
 * Reads `host`, `host:port`, `v6`, `[v6]` or `[v6]:port`. IPv6 addresses become canonical (lower case, zeros
 * compressed), IPv4 addresses in IPv6's clothes (`::ffff:10.0.0.1`) plain, so that equal addresses are equal strings; host names stay as
 * they are.
 * @returns undefined for anything else
 */
export function parseEndpoint(text: string): Endpoint | undefined {
  if (isIPv6(text)) return { host: canonicalV6(text), port: undefined };
  const [, bracketed, plain, portText] = /^(?:\[([^[\]]+)\]|([^\s:[\]/]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: canonicalV6(bracketed), port } : undefined;
  return plain === undefined ? undefined : { host: plain, port };
}

/** `host:port`, `[v6]:port`, or without a port `host` and `v6`. */
export function formatEndpoint({ host, port }: Endpoint): string {
  if (port === undefined) return host;
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Canonical form of an endpoint with a port. @returns undefined when it is not one */
export function canonicalEndpoint(text: string): string | undefined {
  const endpoint = parseEndpoint(text);
  return endpoint?.port === undefined ? undefined : formatEndpoint(endpoint);
}

/** A zone id (`%eth0`) is kept as it is; URLs cannot carry it. */
function canonicalV6(address: string): string {
  const zoneAt = address.indexOf("%");
  const [plain, zone] = zoneAt < 0 ? [address, ""] : [address.slice(0, zoneAt), address.slice(zoneAt)];
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  return mappedV4(canonical) ?? canonical + zone;
}

/** The IPv4 address that an IPv6 one stands for: sockets of both kinds reach the same process under either name. */
function mappedV4(canonicalV6: string): string | undefined {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonicalV6) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 0xff, b >> 8, b & 0xff].join(".");
}
