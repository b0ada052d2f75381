import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions, type TlsOptions } from "node:tls";
import { type ContentWatch, watchContent } from "./watched-content.ts";

/** PEM texts of a certificate chain and its key. */
export interface PemPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** What a listener shows, and whom it believes. */
export interface ListenerPems extends PemPair {
  /** Certificates of those that vouch for clients; undefined = clients are asked for none. */
  readonly clientCa: Buffer | undefined;
}

/** Where the certificates of a listener come from. */
export type PemSource = (
  | { readonly kind: "self-signed" }
  | { readonly kind: "files"; readonly certFile: string; readonly keyFile: string }
) & {
  /** Clients must show a certificate that one of this file vouches for. Absent = they are asked for none. */
  readonly clientCaFile?: string;
  /** How often the files are looked at for a change, ms; 0 = never. Default 10 000. */
  readonly reloadIntervalMs?: number;
};

/** What a watch of certificate files needs from outside. */
export type PemWatchDependencies = Pick<ContentWatch<ListenerPems>, "after" | "onChange" | "onFailure">;

const DEFAULT_RELOAD_INTERVAL_MS = 10_000;
const SELF_SIGNED_YEARS = 10;

/** A certificate for this machine. P-256, because an RSA key costs a second of start-up and more CPU per handshake. */
export async function selfSignedPair(): Promise<PemPair> {
  // It takes a tenth of a second to load, which who has no TLS, or files for it, need not wait for.
  const { generate } = await import("selfsigned");
  const notAfterDate = new Date();
  notAfterDate.setFullYear(notAfterDate.getFullYear() + SELF_SIGNED_YEARS);
  const pems = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    curve: "P-256",
    algorithm: "sha256",
    notAfterDate,
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
          { type: 7, ip: "::1" },
        ],
      },
    ],
  });
  return { cert: Buffer.from(pems.cert), key: Buffer.from(pems.private) };
}

/** Reads the files, makes what comes from none. @throws Error naming the files that cannot be read or used */
export async function readListenerPems(source: PemSource): Promise<ListenerPems> {
  const pair = source.kind === "files" ? await readPemPair(source.certFile, source.keyFile) : await selfSignedPair();
  return { ...pair, clientCa: await readClientCa(source.clientCaFile) };
}

/** The files of a source, for a log line. */
export function filesOf(source: PemSource): { readonly certFile?: string; readonly clientCaFile?: string } {
  const { clientCaFile } = source;
  return {
    ...(source.kind === "files" ? { certFile: source.certFile } : {}),
    ...(clientCaFile === undefined ? {} : { clientCaFile }),
  };
}

/** For a TLS server's context. */
export function contextOf({ cert, key, clientCa }: ListenerPems): SecureContextOptions {
  return clientCa === undefined ? { cert, key } : { cert, key, ca: clientCa };
}

/** For a TLS server: whether clients without a certificate that is vouched for are turned away in the handshake. */
export function clientChecksOf({ clientCaFile }: PemSource): Pick<TlsOptions, "requestCert" | "rejectUnauthorized"> {
  const isNeeded = clientCaFile !== undefined;
  return { requestCert: isNeeded, rejectUnauthorized: isNeeded };
}

async function readPemPair(certFile: string, keyFile: string): Promise<PemPair> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Error(`${certFile} and ${keyFile} are no certificate with its key`, { cause });
  }
  return { cert, key };
}

/** Node takes a text without any certificate, and then believes nobody: that is a mistake, and would lock every client out. */
async function readClientCa(file: string | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  const clientCa = await readFile(file);
  const certificates = clientCa.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  try {
    if (certificates === null) throw new Error("no certificate in it");
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch (cause) {
    throw new Error(`${file} holds no certificates (PEM)`, { cause });
  }
  return clientCa;
}

/**
 * Looks at the files again and again.
 * @param first what is in use
 * @returns stops looking
 */
export function watchListenerPems(
  source: PemSource,
  first: ListenerPems,
  dependencies: PemWatchDependencies,
): () => void {
  const { kind, clientCaFile, reloadIntervalMs = DEFAULT_RELOAD_INTERVAL_MS } = source;
  if (kind === "self-signed" && clientCaFile === undefined) return () => undefined;
  return watchContent(first, {
    read: async () =>
      kind === "files"
        ? await readListenerPems(source)
        : { cert: first.cert, key: first.key, clientCa: await readClientCa(clientCaFile) },
    isSame: (a, b) => a.cert.equals(b.cert) && a.key.equals(b.key) && isSameCa(a, b),
    intervalMs: reloadIntervalMs,
    ...dependencies,
  });
}

function isSameCa({ clientCa: a }: ListenerPems, { clientCa: b }: ListenerPems): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}
