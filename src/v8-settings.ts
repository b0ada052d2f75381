import { setFlagsFromString } from "node:v8";

/**
 * V8 compiles a function well after 3,000 calls, which is after 3,000 requests for most of what a request passes through. Until then it takes twice the CPU.
 * Earlier means guesses from fewer calls, and compiling again when they were wrong. A process that has little to do for eight seconds is cleaned up by V8
 * and answers what comes then in twice the time (docs/decisions/0227).
 */
const flags = [
  "--invocation-count-for-maglev=50",
  "--invocation-count-for-turbofan=200",
  "--minimum-invocations-after-ic-update=50",
  "--memory-reducer-gc-count=0",
];

// Imported before what is to be compiled. V8 looks at these whenever they matter, in all threads.
for (const flag of flags) setFlagsFromString(flag);
