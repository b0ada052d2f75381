export { type StartedConsole, startConsole, startShardsConsole } from "./start-console.ts";
