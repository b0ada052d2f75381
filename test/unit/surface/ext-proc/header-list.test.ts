import { describe, expect, it } from "vitest";
import { HeaderList } from "../../../../src/surface/ext-proc/header-list.ts";

const list = HeaderList.of({
  headers: [
    { key: ":path", raw_value: Buffer.from("/v1/x") },
    { key: "X-Tenant-Id", value: "plain" },
    { key: "x-tenant-id", raw_value: Buffer.from([0x61, 0xff]) },
    { key: "x-gateway-a", raw_value: Buffer.from("é") },
    { key: "x-gateway", raw_value: Buffer.from("") },
    {},
  ],
});

describe("HeaderList", () => {
  it("finds a header whatever its case, and decodes what is no UTF-8 to U+FFFD", () => {
    expect(list.get("x-tenant-id")).toBe("plain");
    expect(list.getAll("x-tenant-id")).toEqual(["plain", "a\ufffd"]);
    expect([list.get("x-gateway-a"), list.get("x-gateway"), list.get("")]).toEqual(["é", "", ""]);
  });

  it("tells what is absent", () => {
    expect([list.get("path"), list.get("x-tenant-i"), list.has("x-tenant"), list.has(":path")]).toEqual([
      undefined,
      undefined,
      false,
      true,
    ]);
    expect(list.getAll("x-tenant")).toEqual([]);
  });

  it("lists names by their beginning, in lower case", () => {
    expect(list.namesFrom("x-gateway-")).toEqual(["x-gateway-a"]);
    expect(list.namesFrom("x-t")).toEqual(["x-tenant-id", "x-tenant-id"]);
  });
});
