export type { ChatTemplate, TemplateContext, TemplateOptions } from "./chat-template.ts";
export { compileTemplate } from "./chat-template.ts";
export type { DialectName as TemplateDialect } from "./dialect/dialect.ts";
export type { Limits as TemplateLimits } from "./limits.ts";
export { UnsupportedTemplateError } from "./template-errors.ts";
