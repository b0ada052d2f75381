import { describe, expect, it } from "vitest";
import { nearestWord } from "../../../src/config/nearest-word.ts";

describe("nearestWord", () => {
  it.each([
    { word: "lisen", meant: "listen", name: "a letter missing" },
    { word: "Listen", meant: "listen", name: "another case" },
    { word: "models", meant: "models", name: "the same word" },
    { word: "temprature", meant: "temperature", name: "a letter missing in a long word" },
    { word: "model", meant: "models", name: "two as near, of which one begins alike" },
    { word: "modles", meant: "models", name: "two letters swapped" },
    { word: "mod", meant: "mode", name: "two as near that begin as much alike: the first" },
    { word: "levle", meant: "level", name: "two letters of a short word swapped" },
    { word: "zzzzzz", meant: undefined, name: "nothing near" },
    { word: "ab", meant: undefined, name: "too short to guess" },
  ])("$name", ({ word, meant }) => {
    expect(nearestWord(word, ["mode", "models", "modx", "listen", "level", "temperature", "xy"])).toBe(meant);
  });
});
