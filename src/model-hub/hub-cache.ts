import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What the models of one repository look like on disk, as Hugging Face's own programs keep them: `refs/<revision>` names a commit, `snapshots/<commit>` holds files. */
export class HubCache {
  readonly #folder: string;

  /** @param cacheDir of all repositories */
  constructor(cacheDir: string, repo: string) {
    this.#folder = join(cacheDir, `models--${repo.replaceAll("/", "--")}`);
  }

  folderOf(commit: string): string {
    return join(this.#folder, "snapshots", commit);
  }

  /** The commit that a branch or tag had when it was last asked for; undefined when it never was. */
  async commitOf(revision: string): Promise<string | undefined> {
    try {
      return (await readFile(join(this.#folder, "refs", revision), "utf8")).trim();
    } catch {
      return undefined;
    }
  }

  async rememberCommit(revision: string, commit: string): Promise<void> {
    await writeWhole(join(this.#folder, "refs"), revision, Buffer.from(commit));
  }

  async has(commit: string, file: string): Promise<boolean> {
    try {
      await access(join(this.folderOf(commit), file));
      return true;
    } catch {
      return false;
    }
  }

  async write(commit: string, file: string, bytes: Uint8Array): Promise<void> {
    await writeWhole(this.folderOf(commit), file, bytes);
  }
}

/** A file is there whole or not at all, also when two processes write it. */
async function writeWhole(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, file);
  await mkdir(join(path, ".."), { recursive: true });
  const draft = `${path}.${crypto.randomUUID()}.incomplete`;
  await writeFile(draft, bytes);
  await rename(draft, path);
}
