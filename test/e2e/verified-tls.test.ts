import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "./support/client.ts";
import { envoyBinary } from "./support/envoy-binary.ts";
import { withVerifiedPicker } from "./support/envoy-patches.ts";
import { Gateway } from "./support/gateway.ts";
import { opening } from "./support/prompts.ts";

const name = "picker.example";

/** A certificate for {@link name} that vouches for itself, written into `folder`. */
async function writeCertificate(folder: string): Promise<{ certFile: string; keyFile: string }> {
  const pems = await generate([{ name: "commonName", value: name }], {
    keySize: 2048,
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: name }] },
    ],
  });
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  await writeFile(certFile, pems.cert);
  await writeFile(keyFile, pems.private);
  return { certFile, keyFile };
}

describe("an Envoy that verifies the picker", () => {
  let folder: string;
  let files: { certFile: string; keyFile: string };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pointsman-tls-"));
    files = await writeCertificate(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    { expected: name, status: 200 },
    { expected: "someone-else.example", status: 503 },
  ])("is answered $status by a picker that should be $expected", async ({ expected, status }) => {
    const gateway = await Gateway.start({
      kind: { bodies: "full-duplex", hosts: "override-host" },
      launcher: envoyBinary,
      workers: 1,
      patches: [withVerifiedPicker(files.certFile, expected)],
      picker: { extProc: { tls: { mode: "files", ...files } } },
    });
    try {
      expect((await ask(gateway, opening(81))).status).toBe(status);
    } finally {
      await gateway.stop();
    }
  });
});
