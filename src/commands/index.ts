export type { Host } from "./command-line/host.ts";
export { program } from "./command-line/program.ts";
