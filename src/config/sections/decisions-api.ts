import { z } from "zod";
import { checkedText, count, endpointAddress, milliseconds, name } from "../setting-types.ts";

const mebibyte = 1_048_576;
const decisionsPath = "/v1/decisions";

/** What the contracts set; a setting may only lower it. */
const contractLimits = {
  maxBodyBytes: count(1_024)
    .max(4 * mebibyte)
    .default(4 * mebibyte)
    .describe("Longest body, in bytes; a longer one is answered 413."),
  maxBranches: count(1)
    .max(256)
    .default(256)
    .describe("Questions under way at one time, of all requests; one that has no room is answered 429."),
  maxInputTokens: count(1)
    .max(65_536)
    .default(65_536)
    .describe("Prompt tokens of one request, of all its questions together; more are refused."),
  deadlineMs: milliseconds(1)
    .max(300_000)
    .default(300_000)
    .describe("Longest time for a decision, in ms; then it is answered 504."),
};

/** Bounds of this process's own. */
const ownLimits = {
  maxPreflights: count(1).default(4).describe("Requests whose prompts are made at one time; one more is answered 429."),
  maxSiblings: count(1)
    .default(4)
    .describe("Questions of one request that a worker is asked at one time, once the first one is answered."),
  maxTextBytes: count(1_024)
    .default(16 * mebibyte)
    .describe("Text of all prompts of one request together, in bytes; more is refused."),
  maxPromptBytes: count(1_024)
    .default(mebibyte)
    .describe(
      "Text of one prompt, in bytes; a longer one is refused before anything is done with it. The default is sixteen bytes for each token that a request may have.",
    ),
  maxLabelWork: count(1)
    .default(1_048_576)
    .describe(
      "Sum over the questions of prompt tokens times candidates and two more, which is what looking for the candidates' tokens costs; more is refused.",
    ),
  maxValues: count(16)
    .default(32_768)
    .describe(
      "JSON values and keys of a body; more are refused, before they are read. Each of them is a token or two of a prompt, and a fraction of a microsecond of the thread that serves all requests.",
    ),
  maxHeldBodyBytes: count(1_024)
    .default(256 * mebibyte)
    .describe("Sum of the bodies held at one time, in bytes; a request that would pass it is answered 429."),
  maxWorkerAnswerBytes: count(1_024)
    .default(131_072)
    .describe(
      "Longest answer of a worker to one question, in bytes; with a longer one the decision fails. One with 255 candidates has about 10 KB. Reading it is one piece of work, at worst of about 4 ms for the default.",
    ),
  retryAfterSeconds: count(0).default(1).describe("`Retry-After` of 429 answers, in seconds."),
};

const systemonePath = checkedText((text) => {
  if (!/^\/[!-~]*$/.test(text) || /[?#]/.test(text)) return "expected a path";
  if (text.split("/").some((segment) => /^[:*]/.test(segment))) return "a segment may not start with : or *";
  return text === decisionsPath ? `expected another path than ${decisionsPath}` : undefined;
});

/** The typed decisions. */
export const decisionsApi = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether `POST /v1/decisions` (OpenAI's contract) and `POST /v1/systemone` (Jev's) are served where the proxy listens, by the workers with `scoring`.",
      ),
    systemonePath: systemonePath
      .default("/v1/systemone")
      .describe(
        "Where the second of them is served instead. A path that the proxy serves already is refused at the start.",
      ),
    modelAliases: z
      .record(name(), name())
      .default({})
      .describe(
        "Other names of models in decisions, as `jev-latest`, which both of TypeSafe's SDKs ask for: name by alias. An answer names the model itself.",
      ),
    serviceEndpoint: endpointAddress()
      .optional()
      .describe(
        "Behind Envoy: `ip:port` of a proxy with decisions (it may be this process's own, with `mixedModes`), to which the picker sends both paths; it picks and answers. Absent = the workers with `scoring` answer the paths themselves, as Dynamo's frontends can: the picker checks the body and picks one of them by load.",
      ),
    ...contractLimits,
    ...ownLimits,
  })
  .prefault({})
  .describe("Typed decisions: answers that are read off the probabilities of the next token, without any text.");
