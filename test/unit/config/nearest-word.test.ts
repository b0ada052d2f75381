import { describe, expect, it } from "vitest";
import { nearestWord } from "../../../src/config/nearest-word.ts";

describe("nearestWord", () => {
  it.each([
    { word: "lisen", meant: "listen", name: "a letter missing" },
    { word: "Listen", meant: "listen", name: "another case" },
    { word: "models", meant: "models", name: "the same word" },
    { word: "temprature", meant: "temperature", name: "a letter missing in a long word" },
    { word: "zzzzzz", meant: undefined, name: "nothing near" },
    { word: "ab", meant: undefined, name: "too short to guess" },
  ])("$name", ({ word, meant }) => {
    expect(nearestWord(word, ["models", "listen", "temperature", "xy"])).toBe(meant);
  });
});
