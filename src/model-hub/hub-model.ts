import { Buffer } from "node:buffer";
import { downloadFile, HubApiError, listFiles, modelInfo } from "@huggingface/hub";
import { boundedFetch, TooLargeError } from "./bounded-fetch.ts";
import { HubCache } from "./hub-cache.ts";
import { HubError } from "./hub-error.ts";

export interface HubOptions {
  /** Address of the hub. */
  readonly url: string;
  /** Access token, `hf_...`; undefined = none. */
  readonly token: string | undefined;
  /** Where the files of all repositories are kept. */
  readonly cacheDir: string;
  /** Longest time for one model, ms. */
  readonly timeoutMs: number;
  /** Most bytes for one model. */
  readonly maxBytes: number;
  /** Name of a file that gets the names of all files of the repository, a line each. Default: none is written. */
  readonly listing?: string;
  /** Pauses between attempts, ms; default 1 and 3 s. */
  readonly retryPausesMs?: readonly number[];
}

/** A repository of models at one revision. */
export interface HubModelId {
  /** `org/name`. */
  readonly repo: string;
  /** Branch, tag or commit. */
  readonly revision: string;
}

export interface HubModel {
  /** Holds the files. */
  readonly folder: string;
  readonly commit: string;
  /** The hub could not be asked: this is what the revision was when it last could. */
  readonly isStale: boolean;
}

const commitPattern = /^[0-9a-f]{40}$/;
const defaultPausesMs = [1_000, 3_000];

/**
 * Gets the files of a model that are named, once: what is in the cache is not asked for again, and a commit that is needs no hub. All files are of
 * one commit. A revision that cannot be asked for is taken as it last was.
 * @param files names that are wanted where the repository has them; the first must be there, and is written last: where it is, all are
 * @throws HubError that says what can be done
 */
export async function fetchHubModel(
  id: HubModelId,
  files: readonly [string, ...string[]],
  options: HubOptions,
): Promise<HubModel> {
  const cache = new HubCache(options.cacheDir, id.repo);
  const { revision } = id;
  if (commitPattern.test(revision) && (await cache.has(revision, files[0]))) return cached(cache, revision, false);
  const download = new Download(id, options);
  try {
    const commit = await download.commit();
    if (!(await cache.has(commit, files[0]))) await download.into(cache, commit, files);
    if (commit !== revision) await cache.rememberCommit(revision, commit);
    return cached(cache, commit, false);
  } catch (cause) {
    const known = isUnreachable(cause) ? await cache.commitOf(revision) : undefined;
    if (known !== undefined && (await cache.has(known, files[0]))) return cached(cache, known, true);
    throw describe(cause, id, options);
  }
}

function cached(cache: HubCache, commit: string, isStale: boolean): HubModel {
  return { folder: cache.folderOf(commit), commit, isStale };
}

/** The requests for one model. */
class Download {
  readonly #id: HubModelId;
  readonly #options: HubOptions;
  readonly #signal: AbortSignal;
  readonly #common: { readonly hubUrl: string; readonly fetch: typeof fetch; readonly accessToken?: string };

  constructor(id: HubModelId, options: HubOptions) {
    const { url, token, timeoutMs, maxBytes } = options;
    this.#id = id;
    this.#options = options;
    this.#signal = AbortSignal.timeout(timeoutMs);
    this.#common = {
      hubUrl: url,
      fetch: boundedFetch(this.#signal, maxBytes),
      ...(token === undefined ? {} : { accessToken: token }),
    };
  }

  /** The commit that the revision stands for. */
  async commit(): Promise<string> {
    const { repo: name, revision } = this.#id;
    const { sha } = await this.#retried(() =>
      modelInfo({ ...this.#common, name, revision, additionalFields: ["sha"] }),
    );
    if (!commitPattern.test(sha)) throw new HubError("the hub names no commit");
    return sha;
  }

  async into(cache: HubCache, commit: string, files: readonly string[]): Promise<void> {
    const sizes = await this.#retried(() => this.#sizes(commit));
    const wanted = files.filter((file) => sizes.has(file));
    const [first] = files;
    if (first === undefined || !sizes.has(first)) throw new HubError(`it has no ${first}`);
    const bytes = wanted.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
    if (bytes > this.#options.maxBytes) throw new TooLargeError(`${bytes} bytes`);
    const { listing } = this.#options;
    if (listing !== undefined) await cache.write(commit, listing, Buffer.from([...sizes.keys()].join("\n")));
    for (const file of wanted.toReversed()) {
      if (await cache.has(commit, file)) continue;
      const content = await this.#retried(() => this.#file(commit, file));
      await cache.write(commit, file, content);
    }
  }

  async #sizes(commit: string): Promise<ReadonlyMap<string, number>> {
    const { repo } = this.#id;
    const sizes = new Map<string, number>();
    for await (const { path, size } of listFiles({ ...this.#common, repo, revision: commit })) sizes.set(path, size);
    return sizes;
  }

  async #file(commit: string, path: string): Promise<Uint8Array> {
    const { repo } = this.#id;
    const blob = await downloadFile({ ...this.#common, repo, revision: commit, path, xet: false });
    if (blob === null) throw new HubError(`${path} is gone`);
    return new Uint8Array(await blob.arrayBuffer());
  }

  /** Tries again what may work the next time, until the deadline. */
  async #retried<T>(attempt: () => Promise<T>): Promise<T> {
    for (const pauseMs of this.#options.retryPausesMs ?? defaultPausesMs) {
      try {
        return await attempt();
      } catch (cause) {
        if (this.#signal.aborted || !isUnreachable(cause)) throw cause;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
    return await attempt();
  }
}

/** The hub did not answer, or not now. */
function isUnreachable(cause: unknown): boolean {
  if (cause instanceof HubApiError) return cause.statusCode >= 500 || cause.statusCode === 429;
  return !(cause instanceof HubError || cause instanceof TooLargeError);
}

function describe(
  cause: unknown,
  { repo, revision }: HubModelId,
  { url, cacheDir, maxBytes, timeoutMs }: HubOptions,
): HubError {
  const subject = `${repo} at ${revision}`;
  if (cause instanceof HubError) return new HubError(`${subject}: ${cause.message}`, { cause });
  if (cause instanceof TooLargeError)
    return new HubError(`${subject}: its files exceed hub.maxBytes (${maxBytes})`, { cause });
  if (cause instanceof HubApiError && !isUnreachable(cause)) {
    const { statusCode } = cause;
    const reason =
      statusCode === 404
        ? "the hub does not know it"
        : "the hub refuses it; a gated or private one needs hub.tokenFile";
    return new HubError(`${subject}: ${reason} (status ${statusCode})`, { cause });
  }
  const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
  const reason = isLate ? `not downloaded in hub.timeoutMs (${timeoutMs})` : `${url} cannot be reached`;
  return new HubError(`${subject}: ${reason}, and ${cacheDir} has no copy; a model can also be given as a folder`, {
    cause,
  });
}
