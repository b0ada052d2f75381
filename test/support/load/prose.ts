const subjects =
  "the customer,the invoice,our warehouse,the nightly build,a new colleague,the river station,this contract,the second pump,the release branch,an old sensor,the finance team,the kitchen,the ferry,our supplier,the test rig,a careful reader,the insurance desk,the archive,the northern depot,the translation".split(
    ",",
  );
const verbs =
  "has reported,will need,cannot explain,keeps losing,compared,should replace,has not confirmed,received,asked about,wants to move,measured,ships,refused,prepared,found,forgot,updated,returned,approved,described".split(
    ",",
  );
const objects =
  "the missing delivery,two spare valves,a refund for March,the wrong address,the water level,forty boxes of paper,a longer deadline,the draft agreement,the failing test,last year's figures,an offer in euros,the recipe for rye bread,a cracked housing,the summary of the meeting,three unpaid bills,the timetable,a second opinion,the serial numbers,its own documentation,the cold storage room".split(
    ",",
  );
const endings =
  "because the numbers do not agree,before the end of the week,although nobody had asked for it,after the audit on Tuesday,as the manual says on page 12,without telling the office,and would like a short answer,when the temperature falls below zero,since the update of the controller,which costs about 1,450 a month,if the harbour stays closed,so that the second shift can start,in spite of the earlier promise,as far as we know,for the third time this month,while the line was still running".split(
    ",",
  );

/** About `words` words of plain English that says nothing in particular, in sentences and paragraphs. */
export function prose(words: number, random: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "";
  let text = "";
  let count = 0;
  for (let sentence = 1; count < words; sentence += 1) {
    const line = `${pick(subjects)} ${pick(verbs)} ${pick(objects)} ${pick(endings)}`;
    count += line.split(" ").length;
    text += `${line.charAt(0).toUpperCase()}${line.slice(1)}.${sentence % 6 === 0 ? "\n\n" : " "}`;
  }
  return text.trimEnd();
}
