import { describe, expect, it } from "vitest";
import { GuessedBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import { ModelRegistry, Partitions, type ServedModel } from "../../../src/router/index.ts";
import { characterPipeline } from "./fixture.ts";

const makeIndex = (blockSize: number) =>
  new PrefixIndex({ blockSize, maxBlocks: 100, maxOrphans: 10, guesses: new GuessedBlocks({ maxBlocks: 100 }) });

const served = (name: string, blockSize = 4): ServedModel => ({
  name,
  aliases: [`${name}-alias`],
  pipeline: characterPipeline("vllm"),
  index: makeIndex(blockSize),
});

function setUp(models: readonly ServedModel[], maxPartitions = 3) {
  const registry = new ModelRegistry(models);
  return { registry, partitions: new Partitions(registry, { maxPartitions, makeIndex }) };
}

const claim = (model: string, group = "default", changes: { blockSize?: number; isEagle?: boolean } = {}) => ({
  model,
  group,
  blockSize: 4,
  isEagle: false,
  ...changes,
});

describe("partitions", () => {
  it("are there for the configured models, by name and alias, in the default group only", () => {
    const { partitions } = setUp([served("m")]);
    expect(partitions.find("m", "default")).toMatchObject({ model: "m", group: "default", blockSize: 4 });
    expect(partitions.find("m-alias", "default")).toBe(partitions.find("m", "default"));
    expect(partitions.find("m", "other")).toBeUndefined();
    expect(partitions.find("n", "default")).toBeUndefined();
  });

  it("come with the first worker of a model or group, and go with release", () => {
    const { registry, partitions } = setUp([served("m")]);
    const brought = partitions.claim(claim("n"));
    expect(partitions.claim(claim("n"))).toBe(brought);
    expect(registry.find("n")).toBe(brought.served);
    const grouped = partitions.claim(claim("m", "g"));
    expect(grouped.served.index).not.toBe(partitions.find("m", "default")?.served.index);
    expect(partitions.values().map(({ model, group }) => `${model}:${group}`)).toEqual([
      "m:default",
      "n:default",
      "m:g",
    ]);
    partitions.release(brought);
    partitions.release(brought);
    expect(partitions.find("n", "default")).toBeUndefined();
    expect(registry.find("n")).toBeUndefined();
    expect(partitions.claim(claim("n", "default", { blockSize: 8 })).blockSize).toBe(8);
  });

  it("keep those of the configured models whoever goes", () => {
    const { partitions } = setUp([served("m")]);
    partitions.release(partitions.claim(claim("m")));
    expect(partitions.find("m", "default")).toBeDefined();
  });

  it("read requests by the model's tokens where the block size is its own", () => {
    const { partitions } = setUp([served("m")]);
    expect(partitions.claim(claim("m", "g")).served.pipeline).toBeDefined();
    expect(partitions.claim(claim("m", "h", { blockSize: 8 })).served.pipeline).toBeUndefined();
  });

  it.each([
    { name: "block size", changes: { blockSize: 8 }, message: "block_size mismatch" },
    { name: "kind of hashes", changes: { isEagle: true }, message: "is_eagle mismatch" },
  ])("refuse a worker of another $name", ({ changes, message }) => {
    const { partitions } = setUp([served("m")]);
    partitions.claim(claim("n"));
    for (const model of ["m", "n"]) {
      expect(() => partitions.claim(claim(model, "default", changes))).toThrow(message);
    }
  });

  it("are bounded, and never take another model's name", () => {
    const { partitions } = setUp([served("m"), served("m:g")], 1);
    expect(() => partitions.claim(claim("m", "g"))).toThrow("another model's");
    partitions.claim(claim("n"));
    expect(() => partitions.claim(claim("o"))).toThrow(expect.objectContaining({ code: "saturated" }));
    expect(partitions.claim(claim("n"))).toBeDefined();
  });

  it("of a request that names no model are the only configured one, unless workers serve `default`", () => {
    const one = setUp([served("m")]).partitions;
    expect(one.of("default", "default")?.model).toBe("m");
    expect(one.of("default", "g")).toBeUndefined();
    expect(one.of("n", "default")).toBeUndefined();
    const brought = one.claim(claim("default"));
    expect(one.of("default", "default")).toBe(brought);
    expect(setUp([served("m"), served("n")]).partitions.of("default", "default")).toBeUndefined();
    expect(setUp([]).partitions.of("default", "default")).toBeUndefined();
  });
});
