import { prose } from "../../../support/load/index.ts";
import type { Chance } from "./chance.ts";

const scripts = [
  "Съешь ещё этих мягких французских булок, да выпей чаю. ЁЖИК",
  "人工智能正在改变世界。2025年，成本下降了90%！「你好」，他说。",
  "すもももももももものうち。カタカナ、漢字。ｶﾞﾊﾟ",
  "안녕하세요, 세계! 토큰화 테스트입니다.",
  "مرحبا بالعالم، هذا اختبارٌ للتشكيل ١٢٣.",
  "नमस्ते दुनिया, क्षत्रिय ज्ञान श्रृंखला १२३",
  "สวัสดีชาวโลก การทดสอบ",
  "é e\u0301 Å A\u030a ẛ̣ ﬁ Å İ ı ſ K ß",
  "👩‍👩‍👧‍👦 👍🏽 🇩🇪🇯🇵 1️⃣ ❤️‍🔥",
  "𝔘𝔫𝔦 𒀀 𐍈 🀄",
];

const spaces = [
  "  ",
  "\n",
  "\n\n",
  "\r\n",
  "\t\t",
  " \n ",
  "\u00a0",
  "\u3000",
  "\u200b",
  "\u2028",
  "\u0085",
  "\u001c",
  "\ufeff",
  "   \n   \n",
];

const code = [
  "def f(x: int) -> int:\n\treturn x**2 if x > 0 else -x\n",
  "for (let i=0;i<10;++i){ a[i]+=b?.c ?? `$d`; }",
  '{"a": [1, 2.5e-10, null, true], "k\\"ey": "v\\\\al"}',
  '<div class="a">&amp;&#39;<br/></div><!-- c -->',
  "https://example.com/a/b?c=d&e=%20f#g C:\\Users\\x",
  "# T\n\n* a\n  * b\n\n| a | b |\n|---|---|\n",
  "1 12 123 1234 0.1 1,000 ½ ² Ⅷ ٣",
  "I'm you'Re we'LL they'd DON'T ''s 'S it’s",
  "\u001b[31mFAIL\u001b[0m a.test.ts > x\n  at f (/a/b.ts:12:34)\n\r\u001b[2K✓ done",
  "diff --git a/x b/x\n@@ -1,2 +1,2 @@\n-\told\n+\tnew\n\\ No newline at end of file\n",
  "```ts\nconst a = `b`;\n```\n\n> quote\n\n1. one\n2. two\n\n---\n| α | β |",
  "     1\tline\n     2→\tline\n<system-reminder>\nx\n</system-reminder>",
  "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo= 0xDEADBEEF 3f2504e0-4f89-11d3-9a0c-0305e82c3301 sha256:9f86d081884c7d65",
  "SELECT * FROM t WHERE a = 'it''s' AND b <> \"c\" -- x\n;",
  "$ ls -la | grep '^d' && cd ~/x || exit 1\ntotal 0\ndrwxr-xr-x  2 u  g  64 Jan  1 00:00 .",
  "\u202eabc\u202c \u200e\u200f\u2066x\u2069 a\u00adb \ufe0f \u200d",
  "∑∫√π ≠ ≤ → ⇒ ℝ ∈ 𝒳 x² H₂O ½ € £ ¥ ₿ № ™ … — – “q” «q»",
];

const markup = [
  "<|im_start|>",
  "<|im_end|>",
  "<|endoftext|>",
  "<think>",
  "</think>",
  "<think>\n\nplan\n</think>\n\n",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "</tool_response>",
  "<|eot_id|>",
  "<|begin_of_text|>",
  "<|start_header_id|>",
  "<|python_tag|>",
  "<|finetune_right_pad_id|>",
  "<bos>",
  "<eos>",
  "<start_of_turn>",
  "<end_of_turn>",
  "<s>",
  "</s>",
  "<unk>",
  "[INST]",
  "<｜User｜>",
  "<｜Assistant｜>",
  "<｜end▁of▁sentence｜>",
  "<｜tool▁calls▁begin｜>",
  "<|start|>",
  "<|channel|>analysis<|message|>",
  "<|end|>",
  "<|return|>",
  "<|call|>",
  "<|reserved_special_token_0|>",
  "<unused0>",
  "<start_of_image>",
  "[multimodal]",
  "<0x0A>",
  "▁",
  "Ġ",
  "<|vision_start|>",
  "<|im_",
  "|>",
  "{{ messages }}",
  "{% raw %}",
  "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
  '[TOOL_CALLS][{"name": "f"}]',
  '<function_calls>\n<invoke name="f">\n</invoke>',
  "<function=f>{}</function>",
  "/no_think",
  "/think",
  "<|eom_id|>",
  "<|message|>",
  "<|constrain|>json",
  "to=functions.f",
  "<｜tool▁outputs▁begin｜>",
  "<｜begin▁of▁sentence｜>",
  "<|fim_prefix|>",
  "<|repo_name|>",
];

/** A text for a message: mostly short and plain, sometimes of many scripts, with white space, code, markup of templates, or long. */
export function text(chance: Chance): string {
  return chance.oneOf(
    [5, () => sentence(chance)],
    [1, () => ""],
    [1, () => chance.pick(spaces)],
    [4, () => mixture(chance, chance.integer(1, 6))],
    [0.3, () => run(chance)],
    [0.006, () => prose(chance.integer(20_000, 60_000), () => chance.integer(0, 999_999) / 1_000_000)],
    [0.3, () => prose(chance.integer(50, 1_500), () => chance.integer(0, 999_999) / 1_000_000)],
  );
}

/** One character, or a few, over and over. */
function run(chance: Chance): string {
  const unit = chance.pick([
    " ",
    "\n",
    "\t",
    "a",
    "A",
    "1",
    ".",
    "=",
    "é",
    "한",
    "😀",
    "\u0301",
    "ab",
    " \n",
    "\r\n",
    "<|",
  ]);
  return unit.repeat(chance.integer(2, chance.pick([8, 40, 300])));
}

/** A text that is not blank. */
export function sentence(chance: Chance): string {
  return prose(chance.integer(1, 12), () => chance.integer(0, 999_999) / 1_000_000);
}

function mixture(chance: Chance, pieces: number): string {
  const piece = () =>
    chance.oneOf(
      [3, () => sentence(chance)],
      [2, () => chance.pick(scripts)],
      [2, () => chance.pick(spaces)],
      [2, () => chance.pick(code)],
      [2, () => chance.pick(markup)],
      [1, () => randomCharacters(chance)],
    );
  return chance.list(pieces, pieces, piece).join(chance.pick(["", " ", "\n"]));
}

/** Any code points but surrogates; most ranges have unassigned ones. */
function randomCharacters(chance: Chance): string {
  const [least, most] = chance.pick([
    [0, 0x7f],
    [0x80, 0x24f],
    [0x250, 0x1fff],
    [0x2000, 0x2fff],
    [0x3000, 0xd7ff],
    [0xe000, 0xffff],
    [0x1_0000, 0x1_ffff],
    [0x2_0000, 0x10_ffff],
  ] as const);
  return String.fromCodePoint(...chance.list(1, 8, () => chance.integer(least, most)));
}

/** A name as functions have it; odd ones are refused. */
export function functionName(chance: Chance): string {
  const usual = ["get_weather", "add", "search", "lookup-2", "Read", "f"];
  return chance.usually(usual, ["", " ", "a b", "é", "a.b", "a".repeat(64), "a".repeat(128), "a".repeat(129)]);
}
