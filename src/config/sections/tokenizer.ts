import { z } from "zod";
import { count, milliseconds } from "../setting-types.ts";

const mebibyte = 1_048_576;

const threads = z
  .strictObject({
    count: count(1)
      .max(64)
      .default(1)
      .describe("Threads that prepare requests which would hold the main thread for too long."),
    jobsAtOnce: count(1)
      .max(64)
      .default(4)
      .describe("Requests that a thread prepares at one time: a short one passes a long one."),
    maxQueued: count(0).default(64).describe("Requests that wait for a thread; one more is placed by load."),
    deadlineMs: milliseconds(1)
      .default(3000)
      .describe(
        "A request that a thread has not prepared after this time is placed by load, in ms; keep it below `extProc.pickDeadlineMs`. A thread that is busy with it for twice as long again is ended and started anew.",
      ),
    cacheBytes: count(0)
      .default(128 * mebibyte)
      .describe("As `tokenizer.cacheBytes`, of each thread."),
    niceness: count(0)
      .max(19)
      .default(5)
      .describe(
        "How far these threads, and the one that loads models, stand back behind the thread that picks where cores are scarce, as `nice` counts; Linux only.",
      ),
  })
  .prefault({})
  .describe("The threads that prepare large requests.");

const mainThread = z
  .strictObject({
    maxNewBytes: count(0)
      .default(131_072)
      .describe(
        "Most bytes of a body that the main thread reads when it has not met them lately; a body with more goes to a thread.",
      ),
    maxKnownBytes: count(0)
      .default(mebibyte)
      .describe("Longest body that the main thread reads when it has met its text lately, in bytes."),
    maxValues: count(1)
      .default(4096)
      .describe(
        "Most values and keys in a body that the main thread reads, with those of JSON text in the arguments of tool calls: each costs up to a microsecond.",
      ),
    maxUncutCharacters: count(1)
      .default(4096)
      .describe(
        "Longest text that the main thread tokenizes in one step, in UTF-16 units; a prompt with a longer one without a space or another place to cut it goes to a thread.",
      ),
  })
  .prefault({})
  .describe("What the main thread does itself. It is held by no request for more than about 5 ms.");

const templates = z
  .strictObject({
    maxSteps: count(1000)
      .default(30_000_000)
      .describe(
        "Most steps of one render of a chat template, of some 20 ns each: about one for an item or a character that is looked at. A render with more, at most about a second of work, is given up and its request placed by load.",
      ),
    maxCharacters: count(1000)
      .default(33_554_432)
      .describe(
        "Longest text or list that a chat template makes on its way, in UTF-16 units or items; a request that needs a longer one is placed by load.",
      ),
    timeZone: z
      .string()
      .refine(isTimeZone, "expected the IANA name of a time zone, as UTC or Europe/Oslo")
      .optional()
      .describe(
        "Whose time a template's `strftime_now` prints, as an IANA name: set it where this process runs in another zone (`TZ`) than the frontends and engines, which print their own. When absent: the zone of this process.",
      ),
  })
  .prefault({})
  .describe("Rendering chat templates.");

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Bounds of turning text into tokens. */
export const tokenizer = z
  .strictObject({
    maxPromptCharacters: count(1)
      .default(4_000_000)
      .describe(
        "Longest rendered prompt that is tokenized, in UTF-16 units (4 million are about a million tokens); a longer one is placed by load.",
      ),
    maxUncutCharacters: count(1)
      .default(4_000_000)
      .describe(
        "Longest text without a space or another place to cut it that is tokenized, in UTF-16 units: it holds its thread for up to a microsecond a unit. A longer one is placed by load.",
      ),
    cacheBytes: count(0)
      .default(256 * mebibyte)
      .describe(
        "Memory of the main thread for the text met lately, with its tokens, of all models together, in bytes; 0 = none is kept.",
      ),
    shadowCheckEvery: count(0)
      .default(1000)
      .describe(
        "One request in so many is tokenized again, in the background, by Hugging Face's own engine, which takes a second and 100 to 400 MB a model once it is first needed. After a difference the model is tokenized by that engine alone, until the restart. 0 = never.",
      ),
    templates,
    mainThread,
    threads,
  })
  .prefault({})
  .describe("Turning text into tokens.");
