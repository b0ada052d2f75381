/** Whether a ZMQ address is IPv6; sockets take such addresses only when told, and a machine without IPv6 cannot be told. */
export function isIpv6(endpoint: string): boolean {
  return endpoint.includes("[");
}
