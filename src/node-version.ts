/** Oldest Node.js that runs it, as `engines` in package.json says: undici is the package that asks for the newest one. */
export const oldestNode = "22.19.0";

/** @returns what to tell the user of a Node.js that is too old, undefined for others; `version` is like "20.20.2" */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Node.js ${oldestNode} or newer is needed, this is ${version}; "npx pointsman" in the project's folder runs on the one that is installed there`;
}
