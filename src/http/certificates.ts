import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { generate } from "selfsigned";

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
export interface PemWatchDependencies {
  /** Calls back once after a delay. @returns a function that cancels it */
  readonly after: (delayMs: number, callback: () => void) => () => void;
  /** Told of a pair other than the one before. */
  readonly onChange: (pair: PemPair) => void;
  /** Told when the files cannot be read or do not fit together; the pair before stays. */
  readonly onFailure: (err: unknown) => void;
}

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
 * Looks at the files again and again. Compares contents, not times: a mounted Kubernetes secret swaps a link, and certificate
 * and key may be written one after the other.
 * @param first the pair that is in use
 * @returns stops looking
 */
export function watchPemFiles(files: PemFiles, first: PemPair, dependencies: PemWatchDependencies): () => void {
  const intervalMs = files.reloadIntervalMs ?? DEFAULT_RELOAD_INTERVAL_MS;
  let current = first;
  let isClosed = false;
  let cancel: () => void = () => undefined;
  const look = async () => {
    try {
      const next = await readPemPair(files);
      if (!isClosed && !(next.cert.equals(current.cert) && next.key.equals(current.key))) {
        dependencies.onChange(next);
        current = next;
      }
    } catch (err) {
      if (!isClosed) dependencies.onFailure(err);
    }
    schedule();
  };
  const schedule = () => {
    if (intervalMs > 0 && !isClosed) cancel = dependencies.after(intervalMs, () => void look());
  };
  schedule();
  return () => {
    isClosed = true;
    cancel();
  };
}
