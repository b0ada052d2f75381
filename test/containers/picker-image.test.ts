import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GrpcGateway } from "../contract/ext-proc/grpc-gateway.ts";
import { ask } from "../e2e/support/client.ts";
import { envoyBinary } from "../e2e/support/envoy-binary.ts";
import { Gateway } from "../e2e/support/gateway.ts";
import { opening } from "../e2e/support/prompts.ts";
import { docker, image, inContainer, nodeInImage } from "./support/picker-image.ts";

const SERVING = 1;

describe("the image", () => {
  it("is under 250 MB, runs as nobody in particular, and starts the picker", async () => {
    const [{ Size, Config }] = JSON.parse(await docker("image", "inspect", image));
    expect(Size).toBeLessThan(250e6);
    expect(Config.User).toBe("65532:65532");
    expect(Config.Entrypoint).toEqual(["/usr/local/bin/node", "/app/dist/main.js"]);
    expect(Config.StopSignal).toBe("SIGTERM");
    expect(Object.keys(Config.ExposedPorts)).toEqual(expect.arrayContaining(["9002/tcp", "9003/tcp", "9090/tcp"]));
  });

  it("holds the packages of production alone, with binaries of this platform alone, and no shell", async () => {
    const { version, dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
    // Some development dependencies are needed by others in production.
    const needless = Object.keys(devDependencies).filter((name) => packages[`node_modules/${name}`].dev === true);
    const script = `
      const { existsSync, readdirSync, readFileSync } = require("node:fs");
      const files = readdirSync("/app/node_modules", { recursive: true });
      console.log(JSON.stringify({
        has: (${JSON.stringify([...Object.keys(dependencies), ...needless])}).filter((name) => existsSync("/app/node_modules/" + name + "/package.json")),
        binaries: files.filter((name) => name.endsWith(".node")).map((name) => name.split("/")[0]).sort(),
        shells: ["/bin/sh", "/bin/bash", "/bin/busybox", "/usr/local/bin/npm"].filter(existsSync),
        installed: Object.entries(JSON.parse(readFileSync("/app/node_modules/.package-lock.json", "utf8")).packages)
          .map(([path, { version }]) => path.slice(path.lastIndexOf("node_modules/") + 13) + "@" + version),
        sbom: JSON.parse(readFileSync("/app/sbom.spdx.json", "utf8")),
        node: process.version, user: process.getuid(),
      }));`;
    const found = JSON.parse(await nodeInImage(script));
    expect(found.has.sort()).toEqual(Object.keys(dependencies).sort());
    expect(found.binaries).toEqual(["@msgpackr-extract", "tokenizers", "zeromq"]);
    expect(found.shells).toEqual([]);
    expect(found.node).toBe(`v${devDependencies.node}`);
    expect(found.user).toBe(65532);
    expect(found.sbom.spdxVersion).toBe("SPDX-2.3");
    const listed = found.sbom.packages.map(
      ({ name, versionInfo }: { name: string; versionInfo: string }) => `${name}@${versionInfo}`,
    );
    expect(listed.toSorted()).toEqual([`pointsman@${version}`, ...found.installed].toSorted());
  });

  it("holds the console's page, all of it", async () => {
    const script =
      'console.log(JSON.stringify(require("node:fs").readdirSync("/app/dist/surface/admin/page", { recursive: true })))';
    const found: string[] = JSON.parse(await nodeInImage(script));
    expect(found.toSorted()).toEqual(readdirSync("src/surface/admin/page", { recursive: true }).map(String).toSorted());
    expect(found).toContain("index.html");
  });

  it("tells its version, and what is wrong with its settings", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(await docker("run", "--rm", image, "--version")).toContain(version);
    await expect(docker("run", "--rm", image)).rejects.toThrow("/etc/pointsman/picker.yaml");
  });
});

describe("a picker in its container, not root, without rights, on a root that cannot be written", () => {
  it("serves picks through a real Envoy, answers health, and ends when it is told to", async () => {
    const gateway = await Gateway.start({
      kind: { bodies: "full-duplex", hosts: "override-host" },
      launcher: envoyBinary,
      pickerLauncher: inContainer,
      workers: 2,
      picker: { shutdown: { readinessDelayMs: 100, drainTimeoutMs: 3_000 } },
    });
    try {
      const answer = await ask(gateway, opening(91));
      expect(answer.status).toBe(200);
      const health = new GrpcGateway(`127.0.0.1:${gateway.ports.pickerHealth}`);
      expect([await health.check("liveness"), await health.check("readiness")]).toEqual([SERVING, SERVING]);
      health.close();
      expect(await gateway.stopPicker("SIGTERM")).toBe("exit code 0");
    } finally {
      await gateway.stop();
    }
  });
});
