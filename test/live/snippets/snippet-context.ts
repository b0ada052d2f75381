/** Variables that snippets see, as JSON text: numbers keep their spelling. */
export const snippetContext = `{
  "s": "Hello World", "e": "", "u": "é😀 a\\n b\\u2003", "p": "a,b;c", "w": "  two  words\\t\\n", "html": "<b>\\"x\\" & 'y'</b>",
  "n": 3, "z": 0, "neg": -7, "big": 9223372036854775808, "huge": 123456789012345678901234567890,
  "f": 2.5, "g": 1e16, "h": 1e-05, "whole": 4.0, "t": true, "no": null, "num": " 42 ", "flt": "3.7", "q": "it's \\"q\\" \\\\ \\n", "fmt": "%s-%d|{}",
  "l": [3, 1, 2], "ls": ["b", "A", "c", "b"], "el": [], "lf": [1.5, 2, -0.0], "nested": [[1, [2, 3]], [4]], "mix": [1, "a", 2.5, null, true, {"k": [1]}],
  "ld": [{"a": 1, "b": "x", "n": {"c": 2}}, {"a": 3, "b": "y"}, {"b": "X", "a": 1}], "d": {"b": 1, "a": [1, 2.0], "items": {"k": "v"}}, "ed": {},
  "dk": {"B": 2, "a": 3, "10": 1, "2": 0},
  "messages": [{"role": "system", "content": "Be\\n brief. "}, {"role": "user", "content": "Hi <|x|>"},
    {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": {"x": 1, "y": [true, null]}}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "42"}],
  "tools": [{"type": "function", "function": {"name": "f", "description": "", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}}]
}`;

/** What kind each variable is of, for snippets that mostly make sense. */
export const variablesByKind = {
  text: [
    "s",
    "e",
    "u",
    "p",
    "w",
    "html",
    "num",
    "flt",
    "q",
    "fmt",
    "messages[0].content",
    "messages[1]['role']",
    "tools[0].function.name",
  ],
  number: ["n", "z", "neg", "big", "huge", "f", "g", "h", "whole"],
  list: ["l", "ls", "el", "lf", "nested", "mix", "ld", "messages", "tools", "d.a"],
  dict: ["d", "ed", "dk", "messages[0]", "ld[0]", "tools[0].function", "messages[2].tool_calls[0]"],
  other: ["t", "no", "missing", "messages[2].content", "d.missing", "true", "none"],
} as const;

export type Kind = keyof typeof variablesByKind;
