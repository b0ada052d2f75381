import { Connection } from "./connection.js";
import { ConnectionLine } from "./connection-line.js";
import { byId, fill, setText } from "./elements.js";
import { ExplanationSheet } from "./explanation.js";
import { createFigures } from "./figures.js";
import { createFleet } from "./fleet.js";
import { createKvEvents } from "./kv-events.js";
import { createModels } from "./models.js";
import { createOverview } from "./overview.js";
import { createPicks } from "./picks.js";
import { RankSheet } from "./rank-sheet.js";
import { createSystem } from "./system.js";
import { setUpTabs } from "./tabs.js";
import { setUpThemeSwitch } from "./theme.js";
import { setUpTokenPrompt } from "./token-prompt.js";

/**
 * @import { ConsoleState } from "../console-state.ts"
 * @import { Openers } from "./openers.js"
 */

/** The latest state, and the one that is shown: another one while the reader has paused. @type {ConsoleState | undefined} */
let latest;
/** @type {ConsoleState | undefined} */
let shown;
let isPaused = false;

const explanation = new ExplanationSheet(() => setPlace(tab));
const rankSheet = new RankSheet(() => {});
/** @type {Openers} */
const openers = {
  openPick: ({ id }, opener) => {
    setPlace(`picks/${encodeURIComponent(id)}`);
    void explanation.open(id, opener);
  },
  openRank: (row, opener) => rankSheet.open(row, opener),
};

const figures = createFigures();
const picks = createPicks(openers);
/** @type {Readonly<Record<string, { root: HTMLElement, update: (state: ConsoleState) => void }>>} */
const views = {
  overview: createOverview(openers),
  fleet: createFleet(openers),
  picks,
  events: createKvEvents(openers),
  models: createModels(),
  system: createSystem(),
};
let tab = "overview";

const connection = new Connection({
  state: (state) => {
    latest = state;
    tokenPrompt.close();
    picks.follow(state);
    if (!isPaused) show(state);
  },
  pick: (pick) => picks.add(pick),
  leftOut: (count) => picks.addLeftOut(count),
  status: (status) => {
    line.status = status;
    if (status.kind === "locked") tokenPrompt.ask(status.isRefused);
  },
});
const tokenPrompt = setUpTokenPrompt(() => connection.unlock());
const line = new ConnectionLine(() => connection.retryNow());

fill(byId("figures"), figures.root);
for (const [name, view] of Object.entries(views)) fill(byId(`panel-${name}`), view.root);
setUpThemeSwitch(byId("theme"));
byId("pause").addEventListener("click", togglePause);
const chooseTab = setUpTabs(Object.keys(views), (name) => {
  tab = name;
  setPlace(name);
  if (shown !== undefined) views[name]?.update(shown);
});
addEventListener("hashchange", goToPlace);
goToPlace();
void connection.run();

/** @param {ConsoleState} state */
function show(state) {
  shown = state;
  byId("waiting").hidden = true;
  byId("shown").hidden = false;
  setText(byId("version"), `${state.version}, ${state.modes.join(" and ")}`);
  const isReady = state.ready.isReady;
  const ready = byId("ready");
  ready.className = `badge ${isReady ? "good" : "bad"}`;
  setText(ready, isReady ? "Ready" : "Not ready");
  figures.update(state);
  views[tab]?.update(state);
}

function togglePause() {
  isPaused = !isPaused;
  const button = byId("pause");
  button.setAttribute("aria-pressed", String(isPaused));
  line.pausedAtMs = isPaused ? Date.now() : undefined;
  if (!isPaused && latest !== undefined) show(latest);
}

/** Opens what the address names, so that a view can be linked to and the browser's Back works. */
function goToPlace() {
  const [name = "", ...rest] = location.hash.slice(1).split("/");
  // The skip link names a place of this view.
  if (name === "content") return setPlace(tab);
  chooseTab(Object.hasOwn(views, name) ? name : "overview");
  const id = name === "picks" ? decoded(rest.join("/")) : "";
  if (id === "") return explanation.close();
  setPlace(`picks/${encodeURIComponent(id)}`);
  void explanation.open(id, undefined);
}

/** What was encoded for an address; as it is where it was not, so that no address keeps the page from starting. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Without a step in the browser's history: it is not a new page. @param {string} place */
function setPlace(place) {
  if (location.hash !== `#${place}`) history.replaceState(null, "", `#${place}`);
}
