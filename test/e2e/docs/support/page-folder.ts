import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = fileURLToPath(new URL("../../../../", import.meta.url));
const docs = join(root, "test/e2e/docs");

/**
 * A folder that looks like the repository after `make build`, in which a page may write files: its own entries lead to the repository's, `files/`
 * is there as the reader's own files.
 */
export class PageFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<PageFolder> {
    const folder = new PageFolder(await mkdtemp(join(tmpdir(), "pointsman-page-")));
    const entries = (await readdir(root)).filter((name) => !["test-results", ".git", "dist"].includes(name));
    for (const name of entries) await symlink(join(root, name), join(folder.path, name));
    // npx makes the program executable.
    await cp(join(root, "dist"), join(folder.path, "dist"), { recursive: true });
    await cp(join(docs, "files"), folder.path, { recursive: true });
    await folder.#addPrograms();
    // curl says the status, so that an answer of an error is seen whatever the command makes of it.
    await folder.write(".home/.curlrc", 'write-out = "%{stderr}HTTP %{http_code}\\n"\n');
    return folder;
  }

  /** Writes a file; one that is a link to the repository's is replaced, never written through. */
  async write(name: string, text: string): Promise<void> {
    const path = join(this.path, name);
    await mkdir(join(path, ".."), { recursive: true });
    await rm(path, { force: true });
    await writeFile(path, text);
  }

  /** What commands of this page see: nothing of this machine's own settings. */
  get environment(): Readonly<Record<string, string>> {
    const path = [".programs", "node_modules/.bin"].map((name) => join(this.path, name)).join(":");
    const home = join(this.path, ".home");
    return {
      PATH: `${path}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home,
      CURL_HOME: home,
      KUBECONFIG: "/nonexistent",
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
      NO_COLOR: "1",
      // A terminal of a usual size for what draws on one.
      TERM: "xterm",
      COLUMNS: "160",
      LINES: "50",
    };
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  /** What readers have installed: `pointsman` by npm, Envoy and the others on their PATH. */
  async #addPrograms(): Promise<void> {
    const folder = join(this.path, ".programs");
    await mkdir(folder);
    for (const name of ["envoy", "redis-server", "valkey-server"]) {
      await symlink(join(root, ".venv/servers", name), join(folder, name));
    }
    for (const name of ["kubectl", "helm"])
      await symlink(join(root, ".cache/kubernetes-tools", name), join(folder, name));
    const pointsman = join(folder, "pointsman");
    await writeFile(pointsman, `#!/bin/sh\nexec node "${this.path}/dist/main.js" "$@"\n`);
    await chmod(pointsman, 0o755);
  }
}
