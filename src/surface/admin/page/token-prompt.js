import { byId, setText } from "./elements.js";
import { forgetToken, keepToken } from "./session-token.js";

/**
 * Asks for the token when the server wants one.
 * @param {() => void} given
 * @returns {{ ask: (isRefused: boolean) => void, close: () => void }}
 */
export function setUpTokenPrompt(given) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("token-prompt"));
  const input = /** @type {HTMLInputElement} */ (byId("token"));
  const fault = byId("token-fault");
  // Nothing can be seen without it.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keepToken(input.value.trim());
    input.value = "";
    dialog.close();
    given();
  });
  return {
    ask: (isRefused) => {
      forgetToken();
      setText(fault, isRefused ? "The server does not take this token." : "");
      if (!dialog.open) dialog.showModal();
      input.focus();
    },
    close: () => {
      if (dialog.open) dialog.close();
    },
  };
}
