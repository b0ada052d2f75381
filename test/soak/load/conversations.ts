import type { Texts } from "./texts.ts";

interface Message {
  readonly role: string;
  readonly content: string;
}

/** A conversation that grows with each turn. */
export interface Conversation {
  readonly id: number;
  readonly messages: Message[];
  turns: number;
}

const maxTurns = 10;

/** Some conversations under way; one that has had its turns is followed by a new one. Each is asked by one client at a time. */
export class Conversations {
  readonly #texts: Texts;
  readonly #random: () => number;
  readonly #idle: Conversation[] = [];
  readonly #most: number;
  #busy = 0;
  #made = 0;

  constructor(texts: Texts, random: () => number, most = 24) {
    this.#texts = texts;
    this.#random = random;
    this.#most = most;
  }

  /** The next question of one of them is at its end. Give it back with {@link done}. */
  take(): Conversation {
    const isNew = this.#idle.length === 0 || this.#idle.length + this.#busy < this.#most;
    const at = Math.floor(this.#random() * this.#idle.length);
    const conversation = (isNew ? undefined : this.#idle.splice(at, 1)[0]) ?? this.#begin();
    conversation.messages.push({ role: "user", content: this.#texts.words(20 + Math.floor(this.#random() * 120)) });
    conversation.turns++;
    this.#busy++;
    return conversation;
  }

  /** @param answer undefined = the question was not answered, and is taken back */
  done(conversation: Conversation, answer: string | undefined): void {
    this.#busy--;
    if (answer === undefined) {
      conversation.messages.pop();
      conversation.turns--;
    } else conversation.messages.push({ role: "assistant", content: answer });
    if (conversation.turns < maxTurns) this.#idle.push(conversation);
  }

  #begin(): Conversation {
    const id = this.#made++;
    // Four system prompts that many share.
    const system = `You are assistant ${id % 4}. ${"Answer in the words of a careful reader. ".repeat(30 + (id % 4))}`;
    return { id, messages: [{ role: "system", content: system }], turns: 0 };
  }
}
