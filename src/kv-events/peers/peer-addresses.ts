import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** One address of a configured peer. */
export interface PeerAddress {
  readonly url: URL;
  /** IP address. */
  readonly host: string;
}

/** Finds the addresses of a host name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Most addresses of one name that are asked. */
const maxAddresses = 64;

export const systemResolve: Resolve = async (name) => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};

/**
 * The addresses of a peer but our own: a headless Service's name stands for all replicas. Rejects when the name is not known.
 * @param ownPorts where this process listens for such requests
 */
export async function addressesOf(url: URL, resolve: Resolve, ownPorts: readonly number[]): Promise<PeerAddress[]> {
  const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const hosts = isIP(name) === 0 ? await resolve(name) : [name];
  const isOwnPort = ownPorts.includes(Number(url.port || (url.protocol === "https:" ? 443 : 80)));
  const own = isOwnPort ? ownAddresses() : new Set<string>();
  return hosts
    .filter((host) => !own.has(host))
    .slice(0, maxAddresses)
    .map((host) => ({ url, host }));
}

function ownAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address)),
  );
}
