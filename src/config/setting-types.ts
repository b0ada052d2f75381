import { isIP } from "node:net";
import { z } from "zod";
import { describeAddressFault, describeKvAddressFault, parseAddress } from "./address.ts";

/** A whole number of milliseconds, at least `min`. */
export function milliseconds(min: number) {
  return z.int().min(min).max(2_147_483_647); // the longest delay that a timer of Node's keeps
}

/** A whole number of things, at least `min`. */
export function count(min: number) {
  return z.int().min(min);
}

/** A finite weight, >= 0. */
export function weight() {
  return z.number().min(0);
}

/** `host:port`, `[v6]:port`; with `mayBeOff` also the word `off`. */
export function listenAddress(mayBeOff = false) {
  return checkedText((text) => (mayBeOff && text === "off" ? undefined : describeAddressFault(text, 0)));
}

/** The address that requests are sent to: `ip:port`, `[v6]:port` or `name:port`. */
export function endpointAddress() {
  return checkedText((text) => describeSchemeFault(text) ?? describeAddressFault(text, 1) ?? describeNameFault(text));
}

function describeSchemeFault(text: string): string | undefined {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  return /^grpcs?$/i.test(scheme)
    ? "workers that speak gRPC are not supported: expected ip:port of the worker's HTTP server"
    : "expected ip:port, without a scheme";
}

function describeNameFault(text: string): string | undefined {
  const { host } = parseAddress(text);
  return isIP(host) === 0 ? "expected an IP address and a port: the gateway resolves no names here" : undefined;
}

/** `host:port` or `[v6]:port` of a server elsewhere; names are looked up. */
export function serverAddress() {
  return checkedText((text) => describeAddressFault(text, 1));
}

/** A ZMQ address, `tcp://host:port`. */
export function kvAddress() {
  return checkedText(describeKvAddressFault);
}

/** A name that may not be empty or start or end with a space. */
export function name() {
  return z.string().regex(/^\S(.*\S)?$/, "expected a name");
}

/** A text with a check of its own. The checks across settings do not run on a text that fails it. */
export function checkedText(describeFault: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const fault = describeFault(text);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault, input: text, continue: false });
  });
}
