import { isIP, isIPv4, isIPv6 } from "node:net";

/** A host and a port apart, as sockets want them. */
export interface Address {
  /** IPv4, IPv6 without brackets, or a name. */
  readonly host: string;
  /** 0 to 65,535; 0 lets the system choose. */
  readonly port: number;
}

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?$/i;

/**
 * Splits `host:port` or `[v6]:port`.
 * @throws RangeError when `text` is neither
 */
export function parseAddress(text: string): Address {
  const fault = describeAddressFault(text, 0);
  if (fault !== undefined) throw new RangeError(`${JSON.stringify(text)}: ${fault}`);
  const colon = text.lastIndexOf(":");
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(text.slice(colon + 1)) };
}

/** Whether nobody from elsewhere can reach a listener. */
export function isLoopback(listen: string): boolean {
  if (listen === "off") return true;
  const { host } = parseAddress(listen);
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** What is wrong with an address, as the end of a sentence; undefined when nothing is. `minPort` is 0 or 1. */
export function describeAddressFault(text: string, minPort: number): string | undefined {
  const parts = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  if (parts === null) {
    return isIPv6(text) || text.split(":").length > 2
      ? "expected [ipv6]:port, with the brackets"
      : "expected host:port or [ipv6]:port";
  }
  const [, v6, host, port] = parts;
  if (v6 !== undefined && !isIPv6(v6)) return "expected an IPv6 address in the brackets";
  if (host !== undefined && !isHost(host)) return "expected an IP address or a host name before the port";
  if (Number(port) < minPort || Number(port) > 65_535) return `expected a port from ${minPort} to 65535`;
  return undefined;
}

/** What is wrong with a ZMQ address; undefined when nothing is. */
export function describeKvAddressFault(text: string): string | undefined {
  if (!text.startsWith("tcp://")) return "expected tcp://host:port";
  const fault = describeAddressFault(text.slice("tcp://".length), 1);
  return fault === undefined ? undefined : `${fault}, after tcp://`;
}

/** `port + offset` of `tcp://host:port`: the address of a data-parallel rank's own socket. */
export function shiftKvAddress(text: string, offset: number): string {
  const colon = text.lastIndexOf(":");
  return `${text.slice(0, colon)}:${Number(text.slice(colon + 1)) + offset}`;
}

function isHost(text: string): boolean {
  // Digits and dots only is meant as IPv4: 10.0.0.300 is no host name.
  return /^[\d.]+$/.test(text) ? isIPv4(text) : hostName.test(text);
}
