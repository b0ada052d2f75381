import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Oracle } from "../../../scripts/oracle/oracle.ts";
import { bodyText } from "../parity/bodies/body.ts";
import { plainSpelling } from "../parity/bodies/json-node.ts";
import { textOfBytes } from "./byte-model.ts";
import { composeTemplateBody } from "./template-body.ts";
import { segmentTokenizer, templateNames, writeTemplateModels } from "./template-models.ts";

// Records what the frontend makes of chat bodies for the models that it renders in code of its own: the fixture of the unit tests.
// Usage: node_modules/.bin/node test/live/templates/record-native.ts

const bodies = 60;
const seed = 7;

const folder = await mkdtemp(join(tmpdir(), "native-models-"));
const models = writeTemplateModels(
  folder,
  templateNames().filter((name) => name.startsWith("native-")),
);
const oracle = await Oracle.start(models, segmentTokenizer);
const lines: string[] = [];
try {
  for (let index = 0, kept = 0; kept < bodies; index++) {
    const { path, tree } = composeTemplateBody(seed, index, 0.02);
    // Token data of the client's own would stand in for the prompt.
    if (path !== "/v1/chat/completions" || (tree.kind === "object" && tree.members.some(([key]) => key === "nvext")))
      continue;
    kept++;
    for (const { name } of models) {
      const raw = bodyText({ tree, spelling: plainSpelling, damage: undefined }, name);
      const { status, tokenIds } = await oracle.ask(path, Buffer.from(raw));
      const text = tokenIds === undefined ? {} : { prompt: shownText(tokenIds[0] ?? []) };
      lines.push(JSON.stringify({ family: name.replace("native-", ""), raw, status, ...text }));
    }
  }
} finally {
  await oracle.stop();
  await rm(folder, { recursive: true });
}
const file = join(import.meta.dirname, "..", "..", "fixtures", "templates", "native.jsonl.gz");
await writeFile(file, gzipSync(`${lines.join("\n")}\n`, { level: 9 }));

/** Signs of Kimi K3, whose ids lie above those of bytes, under their names. */
function shownText(ids: readonly number[]): string {
  const signs = ["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>", "<|media_pad|>"];
  let text = "";
  let from = 0;
  for (const [at, id] of ids.entries()) {
    if (id < 256) continue;
    text += textOfBytes(ids.slice(from, at)) + (signs[id - 256] ?? "?");
    from = at + 1;
  }
  return text + textOfBytes(ids.slice(from));
}
