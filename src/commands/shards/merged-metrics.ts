/** The metrics page of one process. */
export interface ShardPage {
  /** Its value of the label `shard`. */
  readonly shard: string;
  /** In the Prometheus text format, the lines of each metric together. */
  readonly text: string;
}

interface Family {
  readonly comments: readonly string[];
  readonly samples: string[];
}

/** One page of several: each metric once, with the samples of all processes told apart by the label `shard`. */
export function mergedPage(pages: readonly ShardPage[]): string {
  const families = new Map<string, Family>();
  for (const { shard, text } of pages) addPage(families, shard, text);
  const lines: string[] = [];
  for (const { comments, samples } of families.values()) lines.push(...comments, ...samples);
  return `${lines.join("\n")}\n`;
}

function addPage(families: Map<string, Family>, shard: string, text: string): void {
  let comments: string[] = [];
  let samples: string[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    if (!line.startsWith("#")) {
      samples.push(labelled(line, shard));
      continue;
    }
    // `# HELP name ...` begins a metric, `# TYPE name ...` goes on with it.
    const [, word, name = ""] = line.split(" ", 3);
    if (word !== "HELP" && word !== "TYPE") continue;
    const known = families.get(name);
    if (known === undefined) {
      comments = [line];
      samples = [];
      families.set(name, { comments, samples });
    } else {
      samples = known.samples;
      if (known.comments === comments) comments.push(line);
    }
  }
}

/** A sample's line with the label; one that has it stays. */
function labelled(line: string, shard: string): string {
  const label = `shard="${shard}"`;
  const brace = line.indexOf("{");
  const space = line.indexOf(" ");
  if (brace < 0 || space < brace) return `${line.slice(0, space)}{${label}}${line.slice(space)}`;
  if (/[{,]shard="/.test(line)) return line;
  return `${line.slice(0, brace + 1)}${label},${line.slice(brace + 1)}`;
}
