// Usage: node scripts/copy-page.ts   Puts the console's page beside the compiled code; it needs no build of its own. Part of `npm run build`.
import { cp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const projectRoot = new URL("../", import.meta.url);
const page = "surface/admin/page";

/** Copies the page's files into `dist/`, in place of those of an earlier build. */
export async function copyPage(): Promise<void> {
  const target = fileURLToPath(new URL(`dist/${page}`, projectRoot));
  await rm(target, { recursive: true, force: true });
  await cp(fileURLToPath(new URL(`src/${page}`, projectRoot)), target, { recursive: true });
}

if (import.meta.main) await copyPage();
