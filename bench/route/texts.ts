import { textModel } from "./servers.ts";

const words =
  "the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state people those too mr good very make world still see own work men day get here old between both life being under three never know same last another while us might great go come since against right came take used himself few house american use place during high without again home around small however found mrs part school thought went say general once upon war every left".split(
    " ",
  );

/** Chat bodies of about so many bytes. Growing conversations repeat their history from one body to the next; new texts share nothing. */
export function chatBodies(
  bytes: number,
  kind: "growing conversations" | "new text",
  count: number,
  round: number,
): string[] {
  const turns = kind === "new text" ? 1 : 10;
  const bodies: string[] = [];
  for (let conversation = 0; bodies.length < count; conversation++) {
    const messages: { readonly role: string; readonly content: string }[] = [];
    const seed = round * 7_919 + conversation * 104_729;
    // A conversation starts with most of its text; each turn adds a little.
    messages.push({ role: "system", content: text(seed, bytes * 0.8) });
    for (let turn = 0; turn < turns && bodies.length < count; turn++) {
      messages.push({ role: "user", content: text(seed + turn + 1, (bytes * 0.2) / turns) });
      bodies.push(JSON.stringify({ model: textModel, messages }));
      messages.push({ role: "assistant", content: text(seed + turn + 101, 50) });
    }
  }
  return bodies;
}

function text(seed: number, length: number): string {
  let state = (seed * 2_654_435_761) >>> 0;
  let result = "";
  while (result.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    result += `${words[state % words.length]} `;
  }
  return result;
}
