import type { HarmonyConversation, HarmonyDeveloper, HarmonyTool } from "./conversation.ts";
import { typeOfSchema } from "./schema-type.ts";

const IDENTITY = "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06";
const CHANNELS = "# Valid channels: analysis, commentary, final. Channel must be included for every message.";
const TOOLS_CHANNEL = "Calls to these tools must go to the commentary channel: 'functions'.";

/** The text of the system message. @param date as `2025-06-28` */
export function systemText({ effort, developer }: HarmonyConversation, date: string): string {
  const hasTools = developer !== undefined && developer.tools.length > 0;
  const channels = hasTools ? `${CHANNELS}\n${TOOLS_CHANNEL}` : CHANNELS;
  return [`${IDENTITY}\nCurrent date: ${date}`, `Reasoning: ${effort}`, channels].join("\n\n");
}

/** The text of the developer's message for the whole conversation; empty where there is nothing to say. */
export function developerText({ instructions, tools }: HarmonyDeveloper): string {
  const sections = instructions === undefined ? [] : [instructionsText(instructions)];
  if (tools.length > 0) sections.push(toolsText(tools));
  return sections.join("\n\n");
}

function instructionsText(instructions: string): string {
  return `# Instructions\n\n${instructions}`;
}

function toolsText(tools: readonly HarmonyTool[]): string {
  const lines = ["# Tools\n", "## functions\n", "namespace functions {\n"];
  for (const { name, description, parameters } of tools) {
    for (const line of rustLines(description)) lines.push(`// ${line}`);
    const argument = parameters === undefined ? "" : `_: ${typeOfSchema(parameters)}`;
    lines.push(`type ${name} = (${argument}) => any;\n`);
  }
  lines.push("} // namespace functions");
  return lines.join("\n");
}

/** Rust's `str::lines`: what ends in a line end has no line behind it. */
function rustLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const ended = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  return last === "" ? ended : [...ended, last];
}
