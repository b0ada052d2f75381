import { expect, it } from "vitest";
import { hasName, siblingLog } from "../../../src/commands/sibling-log.ts";
import { createLogger } from "../../../src/telemetry/index.ts";

function lines(): { readonly log: ReturnType<typeof siblingLog>; readonly written: Record<string, unknown>[] } {
  const written: Record<string, unknown>[] = [];
  const logger = createLogger({}, { write: (line: string) => written.push(JSON.parse(line)) });
  return { log: siblingLog(logger, "host-1"), written };
}

it("warns once of others that have this replica's name, and names the setting", () => {
  const { log, written } = lines();
  log.joined("uuid-2", "host-1");
  log.joined("uuid-3", "host-1");
  const warnings = written.filter(({ level }) => level === "warn");
  expect(warnings).toMatchObject([{ replica: "host-1", replicaId: "uuid-2", setting: "replicas.id" }]);
  expect(warnings[0]?.["msg"]).toContain("`replicas.id`");
});

it("does not warn of others that have names of their own", () => {
  const { log, written } = lines();
  log.joined("uuid-2", "host-2");
  log.left("uuid-2", "host-2", "farewell");
  expect(written.map(({ level }) => level)).toEqual(["info", "info"]);
});

it("knows whether a name is taken", () => {
  expect([hasName([], "a"), hasName([{ name: "b" }], "a"), hasName([{ name: "b" }, { name: "a" }], "a")]).toEqual([
    false,
    false,
    true,
  ]);
});
