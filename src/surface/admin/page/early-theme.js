// Runs before the page is drawn, so that it does not flash in the other colours.
const keptTheme = localStorage.getItem("pointsman.theme");
if (keptTheme === "light" || keptTheme === "dark") document.documentElement.dataset.theme = keptTheme;
