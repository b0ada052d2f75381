import type { ConsoleEngine, ConsoleRank, ConsoleWorker } from "../surface/admin/index.ts";
import { duration, percent, shortCount } from "./figures.ts";
import type { Glyphs } from "./glyphs.ts";
import { emptyRow, type PanelRow, spansRow, tableRows, textRows } from "./panel.ts";
import { bold, dim, plain, red, yellow } from "./style.ts";
import type { Column } from "./table.ts";
import { rankEvents, rankLoad, workerRow } from "./worker-rows.ts";
import { eventStyles, healthStyles } from "./worker-table.ts";

/** All that is known of one worker. */
export function workerRows(worker: ConsoleWorker, width: number, glyphs: Glyphs): PanelRow[] {
  const { name, endpoint, role, id, models, problems, ranks } = worker;
  const { health } = workerRow(worker);
  const served = models.length === 0 ? "every model" : models.join(", ");
  return [
    spansRow(
      { text: glyphs.shown(name), style: bold },
      { text: health, style: healthStyles[health] },
      { text: role, style: plain },
      { text: glyphs.shown(endpoint), style: dim },
    ),
    ...textRows(`worker id ${id}; serves ${glyphs.shown(served)}`, width, dim),
    ...problems.flatMap(({ message }) => textRows(glyphs.shown(message), width, yellow)),
    emptyRow,
    ...tableRows(loadColumns, ranks, width),
    emptyRow,
    ...tableRows(cacheColumns, ranks, width),
    ...ranks.flatMap((rank) => rankNotes(rank, width, glyphs)),
  ];
}

function rankNotes({ dpRank, kvEvents, engine }: ConsoleRank, width: number, glyphs: Glyphs): PanelRow[] {
  const problems = kvEvents?.problems ?? [];
  const dropped = Object.entries(kvEvents?.dropped ?? {}).filter(([, count]) => count > 0);
  const notes: [string, number][] = [
    ...problems.map(({ message }): [string, number] => [message, red]),
    ...dropped.map(([reason, count]): [string, number] => [`${count} events left out: ${reason}`, yellow]),
    ...(engine === undefined ? [] : [[engineText(engine), dim] as [string, number]]),
  ];
  return notes.flatMap(([text, style]) => textRows(`rank ${dpRank}: ${glyphs.shown(text)}`, width, style));
}

function engineText({ runningRequests, waitingRequests, kvUsage, ageMs }: ConsoleEngine): string {
  return [
    `its engine runs ${runningRequests ?? "?"} requests`,
    `${waitingRequests ?? "?"} wait`,
    `${percent(kvUsage)} of its blocks are in use`,
    `said ${duration(ageMs)} ago`,
  ].join(", ");
}

const rankColumn: Column<ConsoleRank> = {
  title: "RANK",
  priority: 0,
  minWidth: 4,
  isRight: true,
  text: ({ dpRank }) => String(dpRank),
};

function counted(
  title: string,
  priority: number,
  figure: (rank: ConsoleRank) => number | undefined,
): Column<ConsoleRank> {
  const text = (rank: ConsoleRank) => {
    const count = figure(rank);
    return count === undefined ? "-" : shortCount(count);
  };
  return { title, priority, minWidth: Math.max(5, title.length), isRight: true, text };
}

const loadColumns: readonly Column<ConsoleRank>[] = [
  rankColumn,
  counted("REQ", 1, (rank) => rankLoad(rank).requests),
  counted("OURS", 2, ({ booked }) => booked.requests),
  counted("SIBLINGS", 5, ({ siblings }) => siblings?.requests),
  counted("FOREIGN", 6, ({ foreign }) => foreign?.requests),
  counted("PREFILL", 3, (rank) => rankLoad(rank).prefillTokens),
  counted("DECODE", 4, (rank) => rankLoad(rank).decodeBlocks),
  counted("ALL TIME", 7, ({ requestsTotal }) => requestsTotal),
];

const cacheColumns: readonly Column<ConsoleRank>[] = [
  rankColumn,
  {
    title: "EVENTS",
    priority: 1,
    minWidth: 10,
    text: rankEvents,
    style: (rank) => eventStyles[rankEvents(rank)],
  },
  counted("DEVICE", 2, ({ heldBlocks }) => heldBlocks.device),
  counted("HOST", 4, ({ heldBlocks }) => heldBlocks.host),
  counted("DISK", 5, ({ heldBlocks }) => heldBlocks.disk),
  counted("SHARED", 8, ({ heldBlocks }) => heldBlocks.external),
  counted("GUESSED", 9, ({ guessedBlocks }) => guessedBlocks),
  counted("ROOM", 6, ({ totalKvBlocks }) => totalKvBlocks),
  {
    title: "LAST",
    priority: 3,
    minWidth: 6,
    isRight: true,
    text: ({ kvEvents }) => (kvEvents?.lastEventAgeMs === undefined ? "-" : duration(kvEvents.lastEventAgeMs)),
  },
  {
    title: "LAG",
    priority: 7,
    minWidth: 6,
    isRight: true,
    text: ({ kvEvents }) => (kvEvents?.lagMs === undefined ? "-" : duration(kvEvents.lagMs)),
  },
  counted("GAPS", 10, ({ kvEvents }) => kvEvents?.gaps),
  counted("REPLAYS", 11, ({ kvEvents }) => kvEvents?.replays),
  counted("RESETS", 12, ({ kvEvents }) => kvEvents?.resets),
];
