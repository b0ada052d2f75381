/** What DeepSeek's models are trained on (encoding_dsv32.py, encoding_dsv4.py of their repositories). */
export const tokens = {
  begin: "<｜begin▁of▁sentence｜>",
  end: "<｜end▁of▁sentence｜>",
  user: "<｜User｜>",
  assistant: "<｜Assistant｜>",
  system: "<｜System｜>",
  image: "<｜deepseek_image｜>",
  thinkStart: "<think>",
  thinkEnd: "</think>",
} as const;
