import { AppError } from "@web-tester/contracts/errors";

/** A row of the table of questions, with the fields that are used here. */
interface Question<Asked> {
  receiver: string;
  request: { safeParse(value: unknown): { success: true; data: Asked } | { success: false; error: unknown } };
}

/** Parses a question that another service asks over the bus. @throws AppError invalid_input if it does not fit its schema */
export function readQuestion<Asked>({ receiver, request: schema }: Question<Asked>, request: unknown): Asked {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_input", `The question to the ${receiver} does not fit its schema.`, {
    cause: parsed.error,
  });
}
