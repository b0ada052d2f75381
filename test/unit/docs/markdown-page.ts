/** A Markdown page as far as links go: where it leads to, and what others may point at in it. */
export interface MarkdownPage {
  /** Targets of its links and images, as they are written. */
  readonly targets: readonly string[];
  /** Names of its headings, as GitHub makes them. */
  readonly anchors: ReadonlySet<string>;
}

/** Reads the links and headings of a page; what stands in code is neither. */
export function readMarkdown(text: string): MarkdownPage {
  const prose = text.replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2 *$/gm, "");
  return {
    targets: [...prose.replaceAll(/`+[^`\n]*`+/g, "").matchAll(/\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)/g)].map(
      ([, target = ""]) => target,
    ),
    anchors: anchorsOf([...prose.matchAll(/^#{1,6} +(.+?) *#* *$/gm)].map(([, heading = ""]) => heading)),
  };
}

/** A heading that comes again gets a number. */
function anchorsOf(headings: readonly string[]): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const heading of headings) {
    const name = anchorOf(heading);
    let anchor = name;
    for (let i = 1; anchors.has(anchor); i++) anchor = `${name}-${i}`;
    anchors.add(anchor);
  }
  return anchors;
}

function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
