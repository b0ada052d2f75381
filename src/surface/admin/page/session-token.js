const key = "pointsman.token";

/** The token that the reader has given for this tab; it is forgotten with it. @returns {string | undefined} */
export function keptToken() {
  return sessionStorage.getItem(key) ?? undefined;
}

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(key, token);
}

/** Forgets it, as when the server does not take it. */
export function forgetToken() {
  sessionStorage.removeItem(key);
}
