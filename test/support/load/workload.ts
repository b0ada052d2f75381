import { seededRandom } from "../../../src/replay/index.ts";
import { prose } from "./prose.ts";
import { weightedIndex } from "./weighted-index.ts";

/** The API that a workload speaks. */
export type LoadApi = "chat" | "completions" | "responses";

/** Shape of a workload of conversations. Equal options give equal conversations. */
export interface WorkloadOptions {
  /** Default 1. */
  readonly seed?: number;
  /** Default 60. */
  readonly conversations?: number;
  /** Questions in a conversation. Default 6. */
  readonly turns?: number;
  /** Tenants; all conversations of one share its system prompt. Default 3. */
  readonly tenants?: number;
  /** Tenant i (from 0) has 1/(i+1)^skew of the weight; 0 = all alike. Default 1. */
  readonly tenantSkew?: number;
  /** Words in a system prompt. Default 400. */
  readonly systemWords?: number;
  /** Words in a question, on average; a question has half to one and a half times as many. Default 110. */
  readonly questionWords?: number;
}

/** One client's questions; the answers in between come from the worker. */
export interface Conversation {
  readonly id: number;
  /** `tenant-<n>`. */
  readonly tenant: string;
  readonly system: string;
  readonly questions: readonly string[];
}

/** Makes the conversations. */
export function createWorkload(options: WorkloadOptions = {}): readonly Conversation[] {
  const { seed = 1, conversations = 60, turns = 6, tenants = 3, tenantSkew = 1 } = options;
  const { systemWords = 400, questionWords = 110 } = options;
  const random = seededRandom(seed);
  const weights = Array.from({ length: tenants }, (_, tenant) => (tenant + 1) ** -tenantSkew);
  const systems = weights.map((_, tenant) => systemPrompt(tenant, systemWords, random));
  return Array.from({ length: conversations }, (_, id) => {
    const tenant = weightedIndex(weights, random);
    const questions = Array.from({ length: turns }, () => prose(questionWords * (0.5 + random()), random));
    return { id, tenant: `tenant-${tenant}`, system: systems[tenant] ?? "", questions };
  });
}

function systemPrompt(tenant: number, words: number, random: () => number): string {
  return `You are the assistant of company ${tenant}. Answer from what follows.\n\n${prose(words, random)}`;
}
