/** Bytes that stand for themselves in a path, as Go escapes one. */
const plain = /[A-Za-z0-9\-_.~$&+,/:;=@]/;

/** `path` under `base`, as Go's `url.JoinPath` puts them together: `..` is resolved and everything that is no path is escaped. */
export function joinUrl(base: string, path: string): string {
  const { protocol, host, pathname } = new URL(base);
  return `${protocol}//${host}${escapePath(cleaned(`${decoded(pathname)}/${decoded(path)}`))}`;
}

function cleaned(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}${path.endsWith("/") && parts.length > 0 ? "/" : ""}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escapePath(path: string): string {
  const escaped = [...Buffer.from(path)].map((byte) => {
    const char = String.fromCharCode(byte);
    return byte < 128 && plain.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  return escaped.join("");
}
