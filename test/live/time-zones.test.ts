import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Oracle } from "../../scripts/oracle/oracle.ts";
import { JsonObject } from "../../src/json/index.ts";
import { compileTemplate } from "../../src/template/index.ts";
import { textOfBytes, writeByteModel } from "./templates/byte-model.ts";

const template = "{{ strftime_now('%F %H %e %-d %j %-I %p %A %B %D %h') }}";

/** What the frontend prints when it runs in a time zone. */
async function frontendTime(timeZone: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "zone-"));
  writeByteModel(folder, { chatTemplate: template });
  const oracle = await Oracle.start([{ name: "m", folder }], { TZ: timeZone });
  try {
    const body = { model: "m", messages: [{ role: "user", content: "" }] };
    const { tokenIds } = await oracle.ask("/v1/chat/completions", Buffer.from(JSON.stringify(body)));
    return textOfBytes(tokenIds?.[0] ?? []);
  } finally {
    await oracle.stop();
    rmSync(folder, { recursive: true });
  }
}

describe("a template that prints the time", () => {
  // Two zones that never have the same date and hour.
  it.each(["Pacific/Kiritimati", "America/St_Johns"])("prints that of the frontend in %s", async (timeZone) => {
    const ours = () => compileTemplate(template, { dialect: "dynamo", timeZone }).render(JsonObject.from([]));
    const before = ours();
    const theirs = await frontendTime(timeZone);
    expect([before, ours()]).toContain(theirs);
  });
});
