/** Calls back at whole multiples of an interval of the wall clock, so that several processes do so at the same times. @returns stops it */
export function everyMultiple(intervalMs: number, callback: () => void, wall: () => number): () => void {
  let timer: NodeJS.Timeout;
  const plan = () => {
    const left = intervalMs - (wall() % intervalMs);
    // A timer may come a little early: the next multiple is then the one after.
    timer = setTimeout(run, left < intervalMs / 2 ? left + intervalMs : left).unref();
  };
  const run = () => {
    plan();
    callback();
  };
  timer = setTimeout(run, intervalMs - (wall() % intervalMs)).unref();
  return () => clearTimeout(timer);
}
