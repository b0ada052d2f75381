export { checkStrictSchema } from "./check-strict-schema.ts";
