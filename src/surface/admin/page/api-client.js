import { keptToken } from "./session-token.js";

/** An answer that is no success. `status` 401 = the server wants a token, or another one. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {number} status of HTTP
   */
  constructor(message, status) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/**
 * Asks the console's server.
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<Response>} a success
 * @throws {ApiError} for any other answer; what `fetch` throws where there is none
 */
export async function ask(path, signal) {
  const token = keptToken();
  /** @type {Record<string, string>} */
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(path, { headers, signal, cache: "no-store", credentials: "omit", redirect: "error" });
  if (response.ok) return response;
  throw new ApiError(await messageOf(response), response.status);
}

/** @param {Response} response */
async function messageOf(response) {
  const fallback = `the server answered ${response.status}`;
  try {
    const { error } = await response.json();
    return typeof error?.message === "string" ? error.message : fallback;
  } catch {
    return fallback;
  }
}
