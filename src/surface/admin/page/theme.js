const key = "pointsman.theme";
const themes = ["system", "light", "dark"];
const labels = { system: "system", light: "light", dark: "dark" };

/**
 * Lets a button go round the themes: as the system has it, light, dark.
 * @param {HTMLElement} button
 */
export function setUpThemeSwitch(button) {
  show(button, keptTheme());
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(keptTheme()) + 1) % themes.length] ?? "system";
    localStorage.setItem(key, next);
    show(button, next);
  });
}

/** @returns {string} */
function keptTheme() {
  const kept = localStorage.getItem(key) ?? "";
  return themes.includes(kept) ? kept : "system";
}

/** @param {HTMLElement} button @param {string} theme */
function show(button, theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.dataset.theme = theme;
  button.textContent = `Theme: ${labels[/** @type {keyof typeof labels} */ (theme)]}`;
}
