import { setFlagsFromString } from "node:v8";

/**
 * V8 compiles a function well after 3,000 calls, which is after 3,000 requests for most of what a request passes through. Until then it takes twice the CPU.
 * Earlier means guesses from fewer calls, and compiling again when they were wrong (docs/decisions/0227).
 */
const calls = {
  "invocation-count-for-maglev": 50,
  "invocation-count-for-turbofan": 200,
  "minimum-invocations-after-ic-update": 50,
};

// Imported before what is to be compiled. The flags are read each time a function has been called often enough, in all threads.
for (const [flag, count] of Object.entries(calls)) setFlagsFromString(`--${flag}=${count}`);
