import type { Delivery } from "@web-tester/platform/bus/bus";

/** Tells the bus again and again that a message is worked on, so that it is not given to another. */
export async function keepWorking<Result>(
  { working, ackWaitMs }: Pick<Delivery, "working" | "ackWaitMs">,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(working, ackWaitMs / 4);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
