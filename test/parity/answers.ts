import { Readable, Writable } from "node:stream";
import { explainCases } from "../../src/commands/cases.ts";

/** A line that `explain --cases` prints. */
export interface CaseAnswer {
  readonly name: string;
  readonly status: number;
  readonly api: string | null;
  readonly token_ids: readonly number[] | readonly (readonly number[])[] | null;
  readonly injected: boolean;
  readonly error: { readonly code: string; readonly field: string | null; readonly message: string } | null;
}

/** Runs cases through the command's own code, in this process. */
export async function answers(
  options: Parameters<typeof explainCases>[0],
  lines: readonly string[],
): Promise<readonly CaseAnswer[]> {
  let output = "";
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      output += chunk.toString("utf8");
      done();
    },
  });
  await explainCases(options, Readable.from([`${lines.join("\n")}\n`]), sink);
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as CaseAnswer);
}
