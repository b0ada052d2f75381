"""Small tokenizers as the families of published models have them, and texts.

usage: families.py CORPUS... > cases.jsonl

Trains vocabularies of some hundred tokens on the given files. Lines are cases for tokenizing.py: {"name", "files", "texts"}.
"""

import io
import json
import random
import sys

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

random.seed(7)
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN = CL100K.replace(r"\p{N}{1,3}", r"\p{N}")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
DEEPSEEK_CODER = ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+"]
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"
KIMI = (
    r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

byte_level = pre_tokenizers.ByteLevel
split = pre_tokenizers.Split
sequence = pre_tokenizers.Sequence


def isolated(*patterns):
    return sequence([*(split(Regex(one), "isolated") for one in patterns), byte_level(False, use_regex=False)])


def special(content, **flags):
    return AddedToken(content, special=True, normalized=False, **flags)


def bpe(corpus, pre, normalizer=None, post=None, added=(), **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre, decoders.ByteLevel()
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    trainer = trainers.BpeTrainer(
        vocab_size=480, initial_alphabet=byte_level.alphabet(), special_tokens=["<|endoftext|>"], show_progress=False
    )
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.post_processor = post or processors.ByteLevel(trim_offsets=False)
    tokenizer.add_special_tokens([special("<|im_start|>"), special("<|im_end|>"), *added])
    return tokenizer


def bos(token, tokenizer):
    return processors.TemplateProcessing(single=f"{token} $A", special_tokens=[(token, tokenizer.token_to_id(token))])


def spm(corpus, kind, **options):
    """A SentencePiece model's bytes."""
    target = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus), model_writer=target, vocab_size=300, model_type=kind, hard_vocab_limit=False,
        character_coverage=0.995, num_threads=1, minloglevel=2, **options
    )
    return target.getvalue()


def llama(corpus, normalizer, pre=None, added=()):
    """BPE of SentencePiece with bytes to fall back on: merges over whole words of the corpus."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = split(Regex("(?=▁)"), "isolated")
    names = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=560, special_tokens=names, show_progress=False))
    file = json.loads(tokenizer.to_str())
    file["added_tokens"] = [entry for entry in file["added_tokens"] if entry["id"] < 3]
    tokenizer = Tokenizer.from_str(json.dumps(file))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.post_processor = bos("<s>", tokenizer)
    tokenizer.add_special_tokens(list(added))
    return tokenizer


def wordpiece(corpus, normalizer):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizers.BertPreTokenizer()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(corpus, trainers.WordPieceTrainer(vocab_size=300, special_tokens=names, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def t5(corpus):
    """As transformers converts it, with the model's table of normal forms."""
    from sentencepiece import sentencepiece_model_pb2 as form

    proto = form.ModelProto.FromString(spm(corpus, "unigram", pad_id=0, eos_id=1, unk_id=2, bos_id=-1))
    tokenizer = Tokenizer(models.Unigram([(piece.piece, piece.score) for piece in proto.pieces], 2))
    steps = [normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap), normalizers.Replace(Regex(" {2,}"), " ")]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace("▁", "always")])
    tokenizer.decoder = decoders.Metaspace("▁", "always")
    tokenizer.add_special_tokens([special(proto.pieces[at].piece) for at in range(3)] + [special("<extra_id_0>")])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=["$A", "</s>"], pair=["$A", "</s>", "$B", "</s>"], special_tokens=[("</s>", 1)]
    )
    return tokenizer


def families(corpus):
    """Name, tokenizer, tokenizer_class, model_type, further members of tokenizer_config.json."""
    gpt2 = byte_level(False)
    yield "GPT-2", bpe(corpus, gpt2), "GPT2Tokenizer", "gpt2", {}
    yield "Phi-2", bpe(corpus, gpt2, added=[AddedToken(" " * n, normalized=True) for n in (2, 4, 8)]), "CodeGenTokenizer", "phi", {}
    yield "Phi-4", bpe(corpus, isolated(CL100K)), "GPT2Tokenizer", "phi3", {}
    yield "StarCoder 2, Granite 3", bpe(corpus, sequence([pre_tokenizers.Digits(True), gpt2])), "GPT2Tokenizer", "granite", {}
    falcon = sequence([pre_tokenizers.Punctuation("contiguous"), gpt2, pre_tokenizers.Digits(False), split(Regex("[0-9][0-9][0-9]"), "isolated")])
    yield "Falcon", bpe(corpus, falcon), "PreTrainedTokenizerFast", "falcon", {}
    cohere = bpe(corpus, sequence([pre_tokenizers.Digits(True), gpt2]), normalizers.NFC(), added=[special("<BOS_TOKEN>")])
    cohere.post_processor = bos("<BOS_TOKEN>", cohere)
    yield "Command-R", cohere, "CohereTokenizerFast", "cohere", {"bos_token": "<BOS_TOKEN>", "add_bos_token": True}
    yield "OLMo, Pythia", bpe(corpus, gpt2, normalizers.NFC()), "GPTNeoXTokenizer", "olmo", {}
    yield "OLMo 2", bpe(corpus, isolated(CL100K)), "GPT2Tokenizer", "olmo2", {}
    yield "EXAONE", bpe(corpus, isolated(QWEN), normalizers.NFC()), "GPT2Tokenizer", "exaone4", {}
    yield "Hunyuan", bpe(corpus, isolated(CL100K)), "PreTrainedTokenizerFast", "hunyuan_v1_dense", {}
    yield "GLM-4", bpe(corpus, isolated(CL100K)), "PreTrainedTokenizer", "glm4", {}
    yield "DeepSeek Coder", bpe(corpus, sequence([*(split(Regex(one), "isolated") for one in DEEPSEEK_CODER), pre_tokenizers.Digits(True), byte_level(False, use_regex=False)])), "LlamaTokenizer", "llama", {"bos_token": "<|endoftext|>", "add_bos_token": True}
    yield "BLOOM", bpe(corpus, sequence([split(Regex(BLOOM), "isolated"), byte_level(False, use_regex=False)])), "BloomTokenizerFast", "bloom", {}
    yield "Kimi", bpe(corpus, isolated(KIMI)), "PreTrainedTokenizerFast", "kimi_k2", {}
    yield "Tekken as Hugging Face's", bpe(corpus, isolated(CL100K), ignore_merges=True), "PreTrainedTokenizerFast", "mistral", {}
    yield "Qwen 2", bpe(corpus, isolated(QWEN), normalizers.NFC()), "Qwen2Tokenizer", "qwen2", {}
    yield "RoBERTa-like prefix", bpe(corpus, byte_level(True)), "GPT2Tokenizer", "opt", {"add_prefix_space": True}
    prefixed = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    yield "Llama 2, InternLM 2, MiniCPM", llama(corpus, prefixed), "LlamaTokenizer", "llama", {"legacy": False}
    yield "MiniCPM 3", llama(corpus, prefixed), "LlamaTokenizer", "minicpm3", {}
    yield "Yi", llama(corpus, normalizers.Replace(" ", "▁")), "LlamaTokenizer", "llama", {"add_prefix_space": False, "legacy": True}
    stripping = [special("<|assistant|>", rstrip=True), special("<|end|>", rstrip=True), special("<|user|>", rstrip=True)]
    yield "Phi-3", llama(corpus, prefixed, added=stripping), "LlamaTokenizer", "phi3", {"legacy": False}
    metaspace = pre_tokenizers.Metaspace("▁", "first", False)
    yield "Mistral 0.3", llama(corpus, None, metaspace), "LlamaTokenizer", "mistral", {"legacy": False}
    yield "Gemma", llama(corpus, normalizers.Replace(" ", "▁"), split(" ", "merged_with_previous")), "GemmaTokenizer", "gemma2", {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "add_bos_token": True}
    yield "T5", t5(corpus), "T5TokenizerFast", "t5", {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "extra_ids": 1, "additional_special_tokens": ["<extra_id_0>"]}
    yield "a Unigram of no class", t5(corpus), "PreTrainedTokenizerFast", "custom", {}
    yield "BERT", wordpiece(corpus, normalizers.BertNormalizer()), "BertTokenizer", "bert", {"do_lower_case": True, "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "mask_token": "[MASK]"}
    yield "a WordPiece of no class", wordpiece(corpus, normalizers.BertNormalizer(lowercase=False)), "PreTrainedTokenizerFast", "custom", {}


def texts(corpus):
    words = " ".join(corpus).split()
    made = [" ".join(random.choices(words, k=random.randint(1, 30))) for _ in range(12)]
    letters = "aZ é\u0301ßİſ中文日本가한👍🏽\u200d\t\n\r 0123456789.,!?'’-_▁<|>()[]{}\u00a0\u0085\u3000\ufeffＡ①ﬁ"
    noise = ["".join(random.choices(letters, k=random.randint(1, 40))) for _ in range(25)]
    fixed = [
        "", " ", "  ", "a  b", " lead", "trail ", "\n\n a", "it's they'LL", "1234567", "a1b22c333", "<|im_start|>user\nHi<|im_end|>\n",
        "<|end|>  x<|user|>\n\ny", "</s> a<s>b", "[CLS] x [SEP]", "naïve café", "Ａｂｃ ①②", "def f(x):\n    return x  # 2\n", "<extra_id_0> x",
    ]
    return [*fixed, *made, *noise]


def main():
    corpus = []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            corpus.extend(line.strip("\n") for line in file if line.strip())
    corpus.extend(["中文的测试 日本語のテスト 한국어 시험", "naïve café déjà vu", "0 1 2 3 42 1234 3.14 100,000", "ﬁ Ａ ①"] * 5)
    asked = texts(corpus)
    for name, tokenizer, tokenizer_class, model_type, config in families(corpus):
        files = {
            "tokenizer.json": json.loads(tokenizer.to_str()),
            "tokenizer_config.json": {"tokenizer_class": tokenizer_class, **config},
            "config.json": {"model_type": model_type},
        }
        print(json.dumps({"name": name, "files": files, "texts": asked}))


if __name__ == "__main__":
    main()
