import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
import { generate } from "selfsigned";
import type { Clock } from "./clock.ts";
import type { TlsFileOptions, TlsOptions } from "./options.ts";
import type { ExtProcLogger } from "./telemetry.ts";

/** Credentials of a listener, and what keeps them fresh. */
export interface ListenerCredentials {
  readonly credentials: ServerCredentials;
  /** Stops looking for new certificates. */
  close(): void;
}

/** PEM texts of a certificate chain and its key. */
interface PemPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** A client that connects and says nothing is dropped after it. Source: dynamo@1.6.1's picker. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

const DEFAULT_RELOAD_INTERVAL_MS = 10_000;
const SELF_SIGNED_YEARS = 10;

/** Credentials that the settings ask for. @throws Error naming the file that cannot be read or used */
export async function listenerCredentials(
  tls: TlsOptions,
  clock: Clock,
  logger: ExtProcLogger,
): Promise<ListenerCredentials> {
  switch (tls.kind) {
    case "plaintext":
      return { credentials: ServerCredentials.createInsecure(), close: () => undefined };
    case "self-signed":
      return { credentials: new PemCredentials(await selfSignedPair()), close: () => undefined };
    case "files":
      return watchedFiles(tls, clock, logger);
  }
}

/** Server credentials whose certificate can be replaced; open connections keep the one they began with. */
class PemCredentials extends ServerCredentials {
  constructor(pair: PemPair) {
    super({ handshakeTimeout: HANDSHAKE_TIMEOUT_MS }, { cert: pair.cert, key: pair.key });
  }

  replace(pair: PemPair): void {
    this.updateSecureContextOptions({ cert: pair.cert, key: pair.key });
  }

  override _equals(other: ServerCredentials): boolean {
    return other === this;
  }
}

/** P-256, because an RSA key as other pickers make it costs a second of start-up and more CPU per handshake. */
async function selfSignedPair(): Promise<PemPair> {
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

/**
 * Compares contents, not times: a mounted Kubernetes secret swaps a link, and certificate and key may be written one after
 * the other. A pair that does not fit together is told and the old one kept.
 */
async function watchedFiles(files: TlsFileOptions, clock: Clock, logger: ExtProcLogger): Promise<ListenerCredentials> {
  const intervalMs = files.reloadIntervalMs ?? DEFAULT_RELOAD_INTERVAL_MS;
  let current = await readPair(files);
  const credentials = new PemCredentials(current);
  let isClosed = false;
  let cancel: () => void = () => undefined;
  const look = async () => {
    try {
      const next = await readPair(files);
      if (!isClosed && !(next.cert.equals(current.cert) && next.key.equals(current.key))) {
        credentials.replace(next);
        current = next;
        logger.info({ certFile: files.certFile }, "ext_proc: new certificate");
      }
    } catch (err) {
      logger.error({ err, certFile: files.certFile }, "ext_proc: cannot reload the certificate, keeping the old one");
    }
    schedule();
  };
  const schedule = () => {
    if (intervalMs > 0 && !isClosed) cancel = clock.after(intervalMs, () => void look());
  };
  schedule();
  return {
    credentials,
    close: () => {
      isClosed = true;
      cancel();
    },
  };
}

async function readPair({ certFile, keyFile }: TlsFileOptions): Promise<PemPair> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Error(`extProc.tls: ${certFile} and ${keyFile} are no certificate with its key`, { cause });
  }
  return { cert, key };
}
