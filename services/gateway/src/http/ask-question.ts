import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { z } from "zod";

/** A row of the table of questions that services answer over the bus. */
interface Question<Request extends z.ZodType, Reply extends z.ZodType> {
  subject: string;
  timeoutMs: number;
  request: Request;
  reply: Reply;
}

/**
 * Sends a question to a service over the bus and parses its answer.
 * @throws AppError unavailable where none answers in time; internal where the answer cannot be parsed; what the service throws
 */
export async function askQuestion<Request extends z.ZodType, Reply extends z.ZodType>(
  bus: Bus,
  { subject, timeoutMs, reply }: Question<Request, Reply>,
  request: z.infer<Request>,
): Promise<z.infer<Reply>> {
  const answered = reply.safeParse(await bus.ask(subject, request, timeoutMs));
  if (answered.success) return answered.data;
  throw new AppError(
    "internal",
    "The comparison service sent an answer that cannot be read. Check that all services run the same version.",
    { cause: answered.error },
  );
}
