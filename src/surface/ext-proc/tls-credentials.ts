import { ServerCredentials } from "@grpc/grpc-js";
import type { Clock } from "../../http/index.ts";
import { type PemPair, readPemPair, selfSignedPair, watchPemFiles } from "../../http/index.ts";
import type { TlsFileOptions, TlsOptions } from "./options.ts";
import type { ExtProcLogger } from "./telemetry.ts";

/** Credentials of a listener, and what keeps them fresh. */
export interface ListenerCredentials {
  readonly credentials: ServerCredentials;
  /** Stops looking for new certificates. */
  close(): void;
}

/** A client that connects and says nothing is dropped after it. Source: dynamo@1.6.1's picker. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

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

/** A pair that does not fit together is told and the old one kept. */
async function watchedFiles(files: TlsFileOptions, clock: Clock, logger: ExtProcLogger): Promise<ListenerCredentials> {
  const first = await readPemPair(files);
  const credentials = new PemCredentials(first);
  const { certFile } = files;
  const close = watchPemFiles(files, first, {
    after: (delayMs, callback) => clock.after(delayMs, callback),
    onChange: (pair) => {
      credentials.replace(pair);
      logger.info({ certFile }, "ext_proc: new certificate");
    },
    onFailure: (err) => {
      logger.error({ err, certFile }, "ext_proc: cannot reload the certificate, keeping the old one");
    },
  });
  return { credentials, close };
}
