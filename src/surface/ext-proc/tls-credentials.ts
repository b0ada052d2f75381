import { ServerCredentials } from "@grpc/grpc-js";
import {
  type Clock,
  clientChecksOf,
  contextOf,
  filesOf,
  type ListenerPems,
  type PemSource,
  readListenerPems,
  watchListenerPems,
} from "../../http/index.ts";
import type { TlsOptions } from "./options.ts";
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
  if (tls.kind === "plaintext") return { credentials: ServerCredentials.createInsecure(), close: () => undefined };
  return watchedCredentials(tls, clock, logger);
}

/** Server credentials whose certificates can be replaced; open connections keep those they began with. */
class PemCredentials extends ServerCredentials {
  constructor(source: PemSource, pems: ListenerPems) {
    super({ handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ...clientChecksOf(source) }, contextOf(pems));
  }

  replace(pems: ListenerPems): void {
    this.updateSecureContextOptions(contextOf(pems));
  }

  override _equals(other: ServerCredentials): boolean {
    return other === this;
  }
}

/** Files that cannot be used are told and the old ones kept. */
async function watchedCredentials(
  source: PemSource,
  clock: Clock,
  logger: ExtProcLogger,
): Promise<ListenerCredentials> {
  const first = await readListenerPems(source);
  const credentials = new PemCredentials(source, first);
  const files = filesOf(source);
  const close = watchListenerPems(source, first, {
    after: (delayMs, callback) => clock.after(delayMs, callback),
    onChange: (pems) => {
      credentials.replace(pems);
      logger.info(files, "ext_proc: new certificates");
    },
    onFailure: (err) => {
      logger.error({ err, ...files }, "ext_proc: cannot reload the certificates, keeping the old ones");
    },
  });
  return { credentials, close };
}
