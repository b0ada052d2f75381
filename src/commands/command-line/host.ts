/** The process that commands run in. */
export interface Host {
  readonly process: NodeJS.Process;
  /** Aborted by SIGTERM or SIGINT, which no longer end the process once this was called; a second one does. */
  readonly stopSignal: () => AbortSignal;
}
