import { expect, it } from "vitest";
import { LateModel, Model, profileByName } from "../../../src/model/index.ts";
import { modelFiles, plainTemplate } from "./model-folder.ts";

it("a late model knows its engine's ways as soon as it is loaded", async () => {
  const profile = profileByName("vllm");
  const late = new LateModel(profile, 16);
  expect(late.engine).toBe("loading");
  late.set(await Model.load({ name: "m", profile, blockSize: 16 }, modelFiles(plainTemplate)));
  expect(late.engine).toMatchObject({ name: "vllm" });
});
