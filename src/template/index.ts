export type { ChatTemplate, TemplateContext, TemplateOptions } from "./chat-template.ts";
export { compileTemplate } from "./chat-template.ts";
export type { TemplateDialect } from "./dialect.ts";
export { UnsupportedTemplateError } from "./template-errors.ts";
