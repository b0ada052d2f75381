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
      otherNames: ["chat_template.jinja", "tokenizer.json"],
    });
  });

  it("names the folder and the file that every model needs", async () => {
    await expect(readModelFolder(folder)).rejects.toThrow(`model folder ${folder}: tokenizer.json is missing`);
  });

  it("says that the folder is not there", async () => {
    const nowhere = join(folder, "nowhere");
    await expect(readModelFolder(nowhere)).rejects.toThrow(`model folder ${nowhere}: there is no such folder`);
  });

  it("names a tokenizer that is there in another form", async () => {
    await writeFile(join(folder, "tekken.json"), "{}");
    await expect(readModelFolder(folder)).rejects.toThrow(/tokenizer\.json is missing; tekken\.json cannot be read/);
  });

  it("knows the names of a downloaded model's repository", async () => {
    await writeFile(join(folder, "tokenizer.json"), "{}");
    await writeFile(join(folder, "repository-files.txt"), "consolidated.safetensors\ntekken.json");
    expect((await readModelFolder(folder)).otherNames).toEqual(["consolidated.safetensors", "tekken.json"]);
  });

  it("does not take a file that cannot be read for an absent one", async () => {
    await writeFile(join(folder, "tokenizer.json"), "{}");
    await mkdir(join(folder, "config.json"));
    await expect(readModelFolder(folder)).rejects.toThrow(/config\.json: EISDIR/);
  });
});
