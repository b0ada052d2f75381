import { RoutingError } from "../../errors/index.ts";

/** What `work` resolves to. @throws RoutingError deadline_exceeded when it takes longer; its later outcome is dropped then */
export async function withinDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = () => new RoutingError(`no answer within ${deadlineMs} ms`, { code: "deadline_exceeded" });
    timer = setTimeout(() => reject(error()), deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
