import { element, fill, setText } from "./elements.js";

/**
 * A sheet over the page. The browser keeps the focus in it, closes it on Escape and makes the rest inert; this gives the focus back.
 */
export class Sheet {
  /** @type {HTMLElement | undefined} */
  #opener;

  /**
   * @param {string} id
   * @param {() => void} closed
   */
  constructor(id, closed) {
    this.heading = element("h2", { id: `${id}-heading`, tabindex: -1 });
    this.subtitle = element("p", { class: "muted" });
    this.content = element("div", { class: "sheet-content" });
    const close = element("button", { type: "button", class: "close" }, "Close");
    const head = element("div", { class: "sheet-head" }, element("div", {}, this.heading, this.subtitle), close);
    this.root = element("dialog", { id, class: "sheet", "aria-labelledby": `${id}-heading` }, head, this.content);
    document.body.append(this.root);
    close.addEventListener("click", () => this.root.close());
    this.root.addEventListener("click", (event) => {
      // The dialog itself is hit beside its content: on the backdrop.
      if (event.target === this.root) this.root.close();
    });
    this.root.addEventListener("close", () => {
      this.#giveFocusBack();
      closed();
    });
  }

  /**
   * @param {HTMLElement | undefined} opener gets the focus when the sheet is closed; undefined = whatever has it, or the page
   * @param {string} heading
   * @param {string} subtitle
   * @param {...(Node | string)} content
   */
  show(opener, heading, subtitle, ...content) {
    setText(this.heading, heading);
    setText(this.subtitle, subtitle);
    fill(this.content, ...content);
    if (this.root.open) return;
    this.#opener = opener;
    this.root.showModal();
    this.heading.focus();
    this.root.scrollTop = 0;
  }

  close() {
    this.root.close();
  }

  /** The row may have gone meanwhile. */
  #giveFocusBack() {
    const opener = this.#opener;
    const list = document.querySelector('[role="tabpanel"]:not([hidden])');
    const target = opener?.isConnected ? opener : list?.querySelector("button.opener");
    if (target instanceof HTMLElement) target.focus();
    this.#opener = undefined;
  }
}
