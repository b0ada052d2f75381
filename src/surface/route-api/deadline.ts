import { RoutingError } from "../../errors/index.ts";

/**
 * What `work` resolves to.
 * @param onLate told when it takes longer: it goes on, but its outcome is dropped
 * @throws RoutingError deadline_exceeded when it takes longer
 */
export async function withinDeadline<T>(work: Promise<T>, deadlineMs: number, onLate: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onLate();
      reject(new RoutingError(`no answer within ${deadlineMs} ms`, { code: "deadline_exceeded" }));
    }, deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
