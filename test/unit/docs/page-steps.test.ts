import { describe, expect, it } from "vitest";
import { readPageSteps } from "../../e2e/docs/support/page-steps.ts";

/** A page with fences, which would end this file's own. */
const page = (text: string): string => text.replaceAll("'''", "```");

describe("finding the commands of a page", () => {
  it.each(["sh", "bash", "shell"])("takes a fence of %s as it stands", (language) => {
    expect(readPageSteps(page(`Text\n\n'''${language}\na \\\n  b\n'''\n`))).toEqual([
      { kind: "block", line: 3, text: "a \\\n  b\n" },
    ]);
  });

  it("takes the commands and the answer of a console fence", () => {
    const [step] = readPageSteps(page("'''console\n$ one\nx\n$ two\n2\n3\n'''\n"));
    expect(step).toEqual({
      kind: "block",
      line: 1,
      text: "one\ntwo\n",
      answer: { language: "text", text: "2\n3\n" },
    });
  });

  it("takes the fence right behind a shell block for its answer, and no other", () => {
    const shown = readPageSteps(page("'''sh\na\n'''\n'''json\n{}\n'''\n"));
    expect(shown).toEqual([{ kind: "block", line: 1, text: "a\n", answer: { language: "json", text: "{}\n" } }]);
    const apart = readPageSteps(page("'''sh\na\n'''\n\n'''json\n{}\n'''\n"));
    expect(apart).toEqual([{ kind: "block", line: 1, text: "a\n" }]);
  });

  it("takes indented lines for a shell block, with empty lines between, but not within a list", () => {
    expect(readPageSteps("Text:\n\n    a\n    b\n\n    c\n\nEnd\n")).toEqual([
      { kind: "block", line: 3, text: "a\nb\n\nc\n" },
    ]);
    expect(readPageSteps("- item\n\n    more of it\n")).toEqual([]);
    expect(readPageSteps("Text\n    that goes on\n")).toEqual([]);
  });

  it.each([
    "pointsman serve --config FILE",
    "npx pointsman explain",
    "make demo",
    "npm run parity",
    "node load.mjs",
    "kubectl delete -k",
    "envoy -c envoy/x.yaml",
    "scripts/oracle/setup.sh",
    "node_modules/.bin/node bench/x/main.ts",
  ])("takes `%s` within a sentence for a command", (code) => {
    expect(readPageSteps(`Run \`${code}\` then.\n`)).toEqual([{ kind: "inline", line: 1, text: `${code}\n` }]);
  });

  it.each(["pointsman", "envoy/", "make", "--kv-events-config '{}'", "node:http", "picker.yaml", "docs/make test.md"])(
    "leaves `%s` alone",
    (code) => {
      expect(readPageSteps(`About \`${code}\`.\n`)).toEqual([]);
    },
  );

  it("finds nothing within fences of other languages", () => {
    expect(readPageSteps(page("'''yaml\nrun: `make test`\n\n    x\n'''\n"))).toEqual([]);
  });

  it("saves a fence whose first line is a file's name", () => {
    expect(readPageSteps(page("'''yaml\n# a.yaml\nb: 1\n'''\n"))).toEqual([
      { kind: "file", line: 1, name: "a.yaml", text: "# a.yaml\nb: 1\n" },
    ]);
    expect(readPageSteps(page("'''yaml\n# a.yaml is for this\nb: 1\n'''\n"))).toEqual([]);
  });

  it("refuses fences that do not say what they hold, and such without an end", () => {
    expect(() => readPageSteps(page("a\n'''\nmake test\n'''\n"))).toThrow('line 2: the fence says ""');
    expect(() => readPageSteps(page("'''sh\nmake test\n"))).toThrow("line 1: the fence has no end");
    expect(() => readPageSteps(page("a\n'''text\npointsman top\n'''\n"))).toThrow(
      "line 2: text that begins as a command",
    );
  });
});
