import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Prints the packages that are loaded with the commands, and with those of `more`. */
function script(more: string): string {
  return `
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/(@[^/]+\\/[^/]+|[^/]+)/.exec(url)?.[1];
        if (name !== undefined) seen.add(name);
        if (url.includes("/src/surface/admin/")) seen.add("the console");
        return next(url, context);
      },
    });
    await import("./src/commands/serve.ts");
    ${more}
    console.log(seen.size > 5, [...seen].filter((name) => /^@opentelemetry\\/|console/.test(name)).sort().join(" "));
  `;
}

async function printed(more = ""): Promise<string> {
  const args = ["--input-type=module", "--eval", script(more)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return stdout.trim();
}

it("the console is loaded where there is one, and not before", async () => {
  const start = (listen: string) => `
    const { consoleOf } = await import("./src/commands/console-module.ts");
    const { loadConfig } = await import("./src/config/index.ts");
    const config = loadConfig({ text: "admin: { listen: '${listen}' }", env: {} });
    await consoleOf({ config }).catch(() => undefined);
  `;
  expect(await printed(start("off"))).not.toContain("the console");
  expect(await printed(start("127.0.0.1:0"))).toContain("the console");
});

it("OpenTelemetry is loaded when there are to be traces, and not before", async () => {
  // prom-client has the interface, which does nothing by itself.
  expect(await printed()).toBe("true @opentelemetry/api");
  const options = '{ endpoint: "http://127.0.0.1:1", headers: {}, sampleRatio: 0, maxTracesPerSecond: 1, maxSpans: 1 }';
  const start = `const { startTracing } = await import("./src/telemetry/index.ts"); await startTracing(${options});`;
  expect(await printed(start)).toContain("@opentelemetry/sdk-trace");
});
