import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authority, issued } from "../support/tls/authority.ts";
import { ask } from "./support/client.ts";
import { envoyBinary } from "./support/envoy-binary.ts";
import { withClientCertificate, withVerifiedPicker } from "./support/envoy-patches.ts";
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

describe("a picker that asks for client certificates", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pointsman-mtls-"));
    const [gateways, others] = [await authority("gateways"), await authority("others")];
    await writeFile(join(folder, "ca.crt"), gateways.cert);
    for (const [file, ca] of [["gateway", gateways] as const, ["stranger", others] as const]) {
      const { cert, key } = await issued(ca, "gateway.example");
      await writeFile(join(folder, `${file}.crt`), cert);
      await writeFile(join(folder, `${file}.key`), key);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    { who: "gateway", status: 200 },
    { who: "stranger", status: 503 },
  ])("answers $status to an Envoy that is the $who", async ({ who, status }) => {
    const gateway = await Gateway.start({
      kind: { bodies: "full-duplex", hosts: "original-dst" },
      launcher: envoyBinary,
      workers: 1,
      patches: [withClientCertificate(join(folder, `${who}.crt`), join(folder, `${who}.key`))],
      picker: { extProc: { tls: { mode: "self-signed", clientCaFile: join(folder, "ca.crt") } } },
    });
    try {
      expect((await ask(gateway, opening(82))).status).toBe(status);
    } finally {
      await gateway.stop();
    }
  });
});
