/**
 * Whose Jinja to follow: `huggingface` is jinja2 as transformers compiles it (vLLM, SGLang), `dynamo` is minijinja with the
 * filters of Dynamo's frontend (dynamo-renderer@8.0.3 template/formatters.rs).
 */
export type TemplateDialect = "dynamo" | "huggingface";
