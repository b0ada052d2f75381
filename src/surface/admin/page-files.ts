import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the page. */
export interface PageFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Changes with the content. */
  readonly etag: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

const ownFolder = fileURLToPath(new URL("./page/", import.meta.url));

/**
 * Reads the page into memory, by the paths that serve it: `/` is `index.html`, every other file is `/assets/` and its own path. Files of
 * other kinds are left out. Rejects when the page is not there.
 */
export async function readPageFiles(folder = ownFolder): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, PageFile>();
  for (const entry of entries) {
    const contentType = contentTypes[extname(entry.name)];
    if (!entry.isFile() || contentType === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    const name = relative(folder, file).split(sep).join("/");
    files.set(name === "index.html" ? "/" : `/assets/${name}`, { contentType, bytes, etag });
  }
  if (!files.has("/")) throw new Error(`the console's page is not in ${folder}`);
  return files;
}
