export { ConsoleClient, ConsoleUnavailable } from "./console-client.ts";
export { asciiGlyphs, type Glyphs, unicodeGlyphs } from "./glyphs.ts";
export { safeText } from "./safe-text.ts";
export { TopSession } from "./session.ts";
export { snapshotText } from "./snapshot.ts";
export { Terminal } from "./terminal.ts";
export { unshowable } from "./unshowable.ts";
