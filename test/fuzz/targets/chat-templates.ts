import assert from "node:assert/strict";
import { join } from "node:path";
import { ensureOraclePython } from "../../../scripts/oracle/environment.ts";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate, UnsupportedTemplateError } from "../../../src/template/index.ts";
import { realTemplates } from "../../support/templates/fixtures.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { PythonOracle } from "../framework/python-oracle.ts";
import { type TemplateCase, templateCases } from "./templates/template-case.ts";

/** Longest time that a render may hold the thread, ms of its CPU time; the limits of work allow about a second. */
const longestMs = 4_000;

/** Addresses that Python prints differ from run to run. */
const address = / at 0x[0-9a-f]+/;

/** Chat templates in Hugging Face's dialect. */
export const chatTemplates: FuzzTarget = {
  name: "templates",
  claim: "a chat template prints what transformers prints, is refused where it refuses, or is said not to be known",
  cases: 1_500,
  needsOracle: true,
  async open() {
    const script = join(import.meta.dirname, "..", "python", "render_templates.py");
    const oracle = new PythonOracle(await ensureOraclePython(), script);
    const check = async (each: TemplateCase) => {
      const ours = rendered(each);
      const theirs = (await oracle.ask(each)) as {
        readonly ok?: string;
        readonly err?: string;
        readonly lost?: string;
      };
      if (ours === "unknown" || theirs.lost !== undefined || address.test(theirs.ok ?? "")) return;
      assert.equal(ours.text, theirs.ok, theirs.err);
    };
    return fuzzing<TemplateCase>({ cases: templateCases([...realTemplates().values()]), check }, () => oracle.close());
  },
};

function rendered({ template, context }: TemplateCase): { readonly text: string | undefined } | "unknown" {
  const before = process.threadCpuUsage();
  try {
    const variables = parseJson(Buffer.from(context));
    assert.ok(variables instanceof JsonObject);
    return { text: compileTemplate(template, { dialect: "huggingface" }).render(variables) };
  } catch (error) {
    if (error instanceof RoutingError) return { text: undefined };
    if (error instanceof UnsupportedTemplateError) return "unknown";
    throw error;
  } finally {
    const { user } = process.threadCpuUsage(before);
    assert.ok(user / 1_000 < longestMs, `a render took ${Math.round(user / 1_000)} ms`);
  }
}
