import { z } from "zod";

/** The body of every failed HTTP call. */
export const errorBody = z
  .object({
    status: z.int().describe("HTTP status, repeated in the body"),
    code: z.string().describe("Stable code a program can act on"),
    message: z.string().describe("What happened, to what, and what to do next"),
    details: z
      .unknown()
      .optional()
      .describe(
        "For invalid input: one entry per fault, with its path. For a conflict with a run: its runId, kind, startedAt, completed and total",
      ),
  })
  .meta({ id: "Error" });
export type ErrorBody = z.infer<typeof errorBody>;
