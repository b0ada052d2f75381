import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchHubModel, type HubOptions } from "../../../src/model-hub/index.ts";
import { LocalHub } from "./local-hub.ts";

const first = "a".repeat(40);
const second = "b".repeat(40);
const files = ["tokenizer.json", "tokenizer_config.json", "config.json", "chat_template.jinja"] as const;
const contents = (text: string) => ({
  "tokenizer.json": Buffer.from(`tokenizer ${text}`),
  "config.json": Buffer.from(`config ${text}`),
  "model-00001-of-00002.safetensors": Buffer.alloc(5_000_000),
});
const repos = {
  "org/model": { refs: { main: second, old: first }, commits: { [first]: contents("1"), [second]: contents("2") } },
  "org/gated": { refs: { main: first }, commits: { [first]: contents("g") }, token: "hf_right" },
  "org/other": { refs: { main: first }, commits: { [first]: { "README.md": Buffer.from("#") } } },
};

let hub: LocalHub;
let cacheDir: string;
beforeEach(async () => {
  hub = await LocalHub.start(repos);
  cacheDir = await mkdtemp(join(tmpdir(), "hub-"));
});
afterEach(async () => {
  await hub.close();
  await rm(cacheDir, { recursive: true });
});

function fetched(repo: string, revision = "main", more: Partial<HubOptions> = {}) {
  const options = { url: hub.url, token: undefined, cacheDir, timeoutMs: 20_000, maxBytes: 1_000_000, ...more };
  return fetchHubModel({ repo, revision }, files, { retryPausesMs: [1, 1], ...options });
}

describe("a model of the hub", () => {
  it("is downloaded, the files that are named and no other, into the layout of Hugging Face's programs", async () => {
    const model = await fetched("org/model");
    expect(model).toEqual({
      folder: join(cacheDir, "models--org--model", "snapshots", second),
      commit: second,
      isStale: false,
    });
    expect((await readdir(model.folder)).sort()).toEqual(["config.json", "tokenizer.json"]);
    expect(await readFile(join(model.folder, "tokenizer.json"), "utf8")).toBe("tokenizer 2");
    expect(await readFile(join(cacheDir, "models--org--model", "refs", "main"), "utf8")).toBe(second);
    expect(hub.requests.filter((path) => path.includes("safetensors"))).toEqual([]);
  });

  it("brings the names of all files of its repository, where they are asked for", async () => {
    const { folder } = await fetched("org/model", "main", { listing: "names.txt" });
    expect((await readFile(join(folder, "names.txt"), "utf8")).split("\n").sort()).toEqual(
      Object.keys(contents("2")).sort(),
    );
  });

  it("is downloaded once: the next time only its commit is asked for", async () => {
    await fetched("org/model");
    hub.requests.length = 0;
    await fetched("org/model");
    expect(hub.requests).toEqual(["/api/models/org/model/revision/main"]);
  });

  it("is the one of a tag, or of a commit, which needs no hub once it is there", async () => {
    const tagged = await fetched("org/model", "old");
    expect(await readFile(join(tagged.folder, "config.json"), "utf8")).toBe("config 1");
    hub.requests.length = 0;
    expect((await fetched("org/model", first)).folder).toBe(tagged.folder);
    expect(hub.requests).toEqual([]);
  });

  it("that a download left half done is completed", async () => {
    hub.interfere = (path, response) => {
      if (!path.endsWith("tokenizer.json")) return false;
      response.socket?.destroy();
      return true;
    };
    await expect(fetched("org/model")).rejects.toThrow("cannot be reached");
    hub.interfere = () => false;
    const { folder } = await fetched("org/model");
    expect((await readdir(folder)).sort()).toEqual(["config.json", "tokenizer.json"]);
  });

  it("is tried again when the hub is busy", async () => {
    let refusals = 2;
    hub.interfere = (_, response) => {
      if (refusals-- <= 0) return false;
      response.writeHead(refusals === 1 ? 503 : 429).end();
      return true;
    };
    expect((await fetched("org/model")).commit).toBe(second);
  });

  it("is taken as it last was when the hub cannot be reached", async () => {
    await fetched("org/model");
    await hub.close();
    expect(await fetched("org/model")).toMatchObject({ commit: second, isStale: true });
  });

  it("is asked for with the token", async () => {
    expect((await fetched("org/gated", "main", { token: "hf_right" })).commit).toBe(first);
  });
});

describe("a model that cannot be had says why", () => {
  it.each<[string, string, string, Partial<HubOptions>, string]>([
    ["not known", "org/none", "main", {}, "org/none at main: the hub does not know it (status 404)"],
    ["a revision that is not known", "org/model", "v9", {}, "org/model at v9: the hub does not know it (status 404)"],
    [
      "gated",
      "org/gated",
      "main",
      {},
      "org/gated at main: the hub refuses it; a gated or private one needs hub.tokenFile (status 401)",
    ],
    ["another token's", "org/gated", "main", { token: "hf_wrong" }, "needs hub.tokenFile"],
    ["no model", "org/other", "main", {}, "org/other at main: it has no tokenizer.json"],
    ["too large", "org/model", "main", { maxBytes: 300 }, "org/model at main: its files exceed hub.maxBytes (300)"],
  ])("%s", async (_, repo, revision, options, message) => {
    await expect(fetched(repo, revision, options)).rejects.toThrow(message);
  });

  it("larger than it says", async () => {
    hub.interfere = (path, response) => {
      if (!path.endsWith("config.json")) return false;
      response.writeHead(200, { etag: '"0"', "content-range": "bytes 0-0/10" });
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
      return true;
    };
    await expect(fetched("org/model")).rejects.toThrow("exceed hub.maxBytes");
  });

  it("not there in time", async () => {
    hub.interfere = (path) => path.endsWith("config.json");
    await expect(fetched("org/model", "main", { timeoutMs: 300 })).rejects.toThrow(
      "not downloaded in hub.timeoutMs (300)",
    );
  });

  it("without a hub and without a copy", async () => {
    await hub.close();
    await expect(fetched("org/model")).rejects.toThrow(
      `org/model at main: ${hub.url} cannot be reached, and ${cacheDir} has no copy; a model can also be given as a folder`,
    );
  });
});
