import { prose, seededRandom } from "../../test/support/load/index.ts";

/** The APIs that the demo speaks. */
export type DemoApi = "chat" | "completions" | "responses";

/** A client's side of a conversation. */
export interface Conversation {
  /** Shown in the table, such as `A`. */
  readonly name: string;
  readonly api: DemoApi;
  /** Whether answers come as Server-Sent Events. */
  readonly isStreamed: boolean;
  /** What the assistant is told first. */
  readonly system: string;
  readonly questions: readonly string[];
}

const plan: readonly Pick<Conversation, "api" | "isStreamed">[] = [
  { api: "chat", isStreamed: false },
  { api: "chat", isStreamed: true },
  { api: "chat", isStreamed: false },
  { api: "completions", isStreamed: false },
  { api: "completions", isStreamed: true },
  { api: "responses", isStreamed: false },
  { api: "responses", isStreamed: true },
];

/** Seven conversations of three questions each, over all three APIs, each about a document of its own. */
export function demoConversations(): readonly Conversation[] {
  return plan.map((style, index) => {
    const random = seededRandom(index + 1);
    return {
      ...style,
      name: String.fromCharCode("A".charCodeAt(0) + index),
      system: `You are assistant ${index + 1}. Answer from this document.\n\n${prose(250, random)}`,
      questions: ["What happened first?", "And who has to act on it?", "Summarise that in one sentence."].map(
        (question) => `${prose(20, random)} ${question}`,
      ),
    };
  });
}
