/** Name of the model that is served; `other` is one that is placed by load alone. */
export const modelName = "Qwen/Qwen3-0.6B";

/** One question of each kind, in OpenAI's contract. */
export const openAiBody = {
  model: modelName,
  input: "A customer was charged twice and requests a refund today.",
  questions: [
    {
      type: "choice",
      name: "route",
      instructions: "Choose the responsible team.",
      choices: [
        { value: "billing", description: "Payments" },
        { value: "technical", description: "Software" },
      ],
    },
    { type: "predicate", name: "urgent", instructions: "Action is needed today." },
    {
      type: "score",
      name: "severity",
      instructions: "Rate the impact.",
      levels: [{ label: "Low" }, { label: "Moderate" }, { label: "High" }],
    },
  ],
} as const;

/** The same in Jev's. */
export const jevBody = {
  model: modelName,
  state: openAiBody.input,
  chat_template_kwargs: { enable_thinking: false },
  questions: {
    route: {
      type: "choice",
      instructions: "Choose the responsible team.",
      criteria: { billing: "Payments", technical: "Software" },
    },
    urgent: { type: "noul", instructions: "Action is needed today." },
    severity: { type: "score", instructions: "Rate the impact.", criteria: ["Low", "Moderate", "High"] },
  },
} as const;
