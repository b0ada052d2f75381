/** What pages write for the reader's own, and what it is here. Ports are never changed: each page has a network of its own. */
export const standIns: readonly { readonly shown: string; readonly here: string }[] = [
  // Any address in 127.0.0.0/8 is this machine, so that two workers may have the same port as on two machines.
  { shown: "10.0.0.", here: "127.0.0." },
  { shown: "/models/Qwen3-8B", here: ".cache/models/qwen3" },
  { shown: "http://picker-1:9099", here: "http://127.0.0.1:9099" },
  // The same tokenizer and template.
  { shown: "hubId: Qwen/Qwen3-0.6B", here: "folder: .cache/models/qwen3" },
];

/** Words of commands within sentences that stand for something of the reader's. What is in `files/` needs no stand-in. */
export const placeholders: Readonly<Record<string, string>> = {
  FILE: "picker.yaml",
  CASES: "cases.jsonl",
  DIR: ".cache/models/qwen3",
  NAME: "qwen3",
  PROFILE: "vllm",
  PATH: "/v1/chat/completions",
  TRACE: "trace.jsonl",
};

/** A page's text as it is here. */
export function withStandIns(text: string): string {
  return standIns.reduce((changed, { shown, here }) => changed.replaceAll(shown, here), text);
}

/** A command of a sentence with everything put in. */
export function filledIn(command: string): string {
  return command.replaceAll(/(?<=\s)[A-Z]+(?=\s)/g, (word) => placeholders[word] ?? word);
}
