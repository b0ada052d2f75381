import { byId, setText } from "./elements.js";
import { clockTime, duration } from "./format.js";

/** @import { ConnectionStatus } from "./connection.js" */

/** Tells whether what is shown is of now: a word in the header, and a band over the page when it is not. */
export class ConnectionLine {
  /** @type {ConnectionStatus} */
  #status = { kind: "connecting", sinceMs: undefined };
  /** When the reader paused; undefined = the page follows. @type {number | undefined} */
  #pausedAtMs;

  /** @param {() => void} retry */
  constructor(retry) {
    this.word = byId("connection");
    this.band = byId("band");
    this.text = byId("band-text");
    this.wait = byId("band-wait");
    this.retryButton = byId("retry");
    this.retryButton.addEventListener("click", retry);
    setInterval(() => this.#showWait(), 500);
    this.#show();
  }

  /** @param {ConnectionStatus} status */
  set status(status) {
    this.#status = status;
    this.#show();
  }

  /** @param {number | undefined} atMs */
  set pausedAtMs(atMs) {
    this.#pausedAtMs = atMs;
    this.#show();
  }

  #show() {
    const { kind } = this.#status;
    const isPaused = this.#pausedAtMs !== undefined && kind === "live";
    this.word.className = `connection ${isPaused ? "paused" : kind}`;
    setText(this.word, isPaused ? "Paused" : words[kind]);
    const text = this.#bandText();
    this.band.hidden = text === "";
    setText(this.text, text);
    this.retryButton.hidden = kind !== "lost";
    this.#showWait();
  }

  #bandText() {
    const status = this.#status;
    const since = status.sinceMs === undefined ? "" : clockTime(status.sinceMs);
    if (status.kind === "lost") {
      return since === ""
        ? `Not connected: ${status.reason}.`
        : `Not connected: ${status.reason}. What is shown is of ${since}.`;
    }
    if (status.kind === "connecting") return since === "" ? "" : `Connecting again. What is shown is of ${since}.`;
    if (status.kind === "silent") return `No news since ${since}: what is shown is of then.`;
    if (status.kind === "live" && this.#pausedAtMs !== undefined)
      return `Paused: what is shown is of ${clockTime(this.#pausedAtMs)}.`;
    return "";
  }

  /** Apart from the band's text, which is read out: nobody wants to hear a countdown. */
  #showWait() {
    const status = this.#status;
    const waitMs = status.kind === "lost" ? status.retryAtMs - Date.now() : 0;
    setText(this.wait, waitMs > 0 ? `Next try in ${duration(Math.ceil(waitMs / 1_000) * 1_000)}.` : "");
  }
}

/** @type {Readonly<Record<ConnectionStatus["kind"], string>>} */
const words = {
  connecting: "Connecting …",
  live: "Live",
  silent: "No news",
  lost: "Not connected",
  locked: "Token needed",
};
