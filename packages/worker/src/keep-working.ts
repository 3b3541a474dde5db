import type { Delivery } from "@web-tester/platform/bus/bus";

/** Runs `work` and meanwhile keeps telling the bus that the message is being worked on, so that it is not delivered to another worker. */
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
