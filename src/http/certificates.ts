import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { generate } from "selfsigned";
import { type ContentWatch, watchContent } from "./watched-content.ts";

/** PEM texts of a certificate chain and its key. */
export interface PemPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface PemFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** How often the files are looked at for a change, ms; 0 = never. Default 10 000. */
  readonly reloadIntervalMs?: number;
}

/** What a watch of certificate files needs from outside. */
export type PemWatchDependencies = Pick<ContentWatch<PemPair>, "after" | "onChange" | "onFailure">;

const DEFAULT_RELOAD_INTERVAL_MS = 10_000;
const SELF_SIGNED_YEARS = 10;

/** A certificate for this machine. P-256, because an RSA key costs a second of start-up and more CPU per handshake. */
export async function selfSignedPair(): Promise<PemPair> {
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

/** @throws Error naming the files when they cannot be read or are no certificate with its key */
export async function readPemPair({ certFile, keyFile }: PemFiles): Promise<PemPair> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Error(`${certFile} and ${keyFile} are no certificate with its key`, { cause });
  }
  return { cert, key };
}

/**
 * Looks at the files again and again.
 * @param first the pair that is in use
 * @returns stops looking
 */
export function watchPemFiles(files: PemFiles, first: PemPair, dependencies: PemWatchDependencies): () => void {
  return watchContent(first, {
    read: () => readPemPair(files),
    isSame: (a, b) => a.cert.equals(b.cert) && a.key.equals(b.key),
    intervalMs: files.reloadIntervalMs ?? DEFAULT_RELOAD_INTERVAL_MS,
    ...dependencies,
  });
}
