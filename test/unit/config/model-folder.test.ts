import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/config/index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-model-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("readModelFolder", () => {
  it("reads what is there and leaves the rest undefined", async () => {
    await writeFile(join(folder, "tokenizer.json"), '{"model":{}}');
    await writeFile(join(folder, "chat_template.jinja"), "{{ 'é' }}");
    expect(await readModelFolder(folder)).toEqual({
      tokenizerJson: Buffer.from('{"model":{}}'),
      tokenizerConfig: undefined,
      chatTemplate: "{{ 'é' }}",
      chatTemplateJson: undefined,
      config: undefined,
      generationConfig: undefined,
    });
  });

  it("names the folder and the file that every model needs", async () => {
    await expect(readModelFolder(folder)).rejects.toThrow(`model folder ${folder}: tokenizer.json is missing`);
  });

  it("does not take a file that cannot be read for an absent one", async () => {
    await writeFile(join(folder, "tokenizer.json"), "{}");
    await mkdir(join(folder, "config.json"));
    await expect(readModelFolder(folder)).rejects.toThrow(/config\.json: EISDIR/);
  });
});
