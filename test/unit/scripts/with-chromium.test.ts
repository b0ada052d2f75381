import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chromiumPath } from "../../browser/support/chromium-path.ts";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../../../scripts/ci/with-chromium.sh", import.meta.url));

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-chromium-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** A command of this name that is found before all others. */
async function command(name: string, script: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

/** Runs the script where there is nothing but these commands and a few of every machine's. */
async function runScript(): Promise<string> {
  const tools = join(folder, "tools");
  await mkdir(tools);
  await symlink(process.execPath, join(tools, "node"));
  for (const tool of ["dirname", "bash", "echo"]) await symlink(await whereIs(tool), join(tools, tool));
  const { stdout } = await run(await whereIs("bash"), [script, "echo", "the suite ran"], {
    env: { PATH: `${folder}:${tools}` },
  });
  return stdout;
}

async function whereIs(tool: string): Promise<string> {
  return (await run("bash", ["-c", `type -P ${tool}`])).stdout.trim();
}

describe("the browser's tests on a machine without Chromium", () => {
  it("fail, and say how to get one", () => {
    expect(() => chromiumPath({ PATH: folder })).toThrow(/no Chromium: .*apt-get install chromium.* CHROMIUM$/);
    expect(() => chromiumPath({ PATH: folder, CHROMIUM: join(folder, "none") })).toThrow(/CHROMIUM names .*none/);
  });

  it("take the one that is named before the ones in PATH", async () => {
    const found = await command("chromium", "");
    const named = await command("my-chromium", "");
    expect(chromiumPath({ PATH: `${dirname(script)}:${folder}` })).toBe(found);
    expect(chromiumPath({ PATH: folder, CHROMIUM: named })).toBe(named);
  });
});

describe("with-chromium.sh", () => {
  it("fails where Chromium is missing and nothing can be installed", async () => {
    await command("id", "echo 1000");
    const outcome = runScript();
    await expect(outcome).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("no Chromium here") });
    await expect(outcome).rejects.toMatchObject({ stdout: expect.not.stringContaining("the suite ran") });
  });

  it("installs Debian's as root, and runs the command", async () => {
    await command("id", "echo 0");
    // The package's only effect that matters here: there is a command afterwards.
    await command(
      "apt-get",
      `case "$1" in install) printf '#!/bin/sh\\n' >${folder}/chromium; /bin/chmod 755 ${folder}/chromium;; esac; echo "apt-get $*"`,
    );
    expect(await runScript()).toMatch(
      /^apt-get update.*apt-get install .*chromium\n.*using .*\/chromium\nthe suite ran\n$/s,
    );
  });

  it("fails when Debian's cannot be installed", async () => {
    await command("id", "echo 0");
    await command("apt-get", "exit 100");
    await expect(runScript()).rejects.toMatchObject({ code: 100 });
  });

  it("installs nothing where there is one", async () => {
    await command("chromium", "");
    expect(await runScript()).toMatch(/^with-chromium: using .*\/chromium\nthe suite ran\n$/);
  });
});
