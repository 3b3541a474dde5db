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
        "For invalid input: one entry per fault, with its path, some with a code and values. For a conflict with a run: its runId, kind, startedAt, completed and total. For the review of a run that has none: its runId, kind and testobject_id",
      ),
  })
  .meta({ id: "Error" });
export type ErrorBody = z.infer<typeof errorBody>;

/** A fault, in an error's details, that screens say in the reader's language. */
const fault = z.object({
  message: z.string(),
  code: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** Returns the first fault of an error's details, where it has a code; undefined where it has none. */
export const firstFault = (details: unknown): z.infer<typeof fault> | undefined =>
  fault.safeParse(Array.isArray(details) ? details[0] : details).data;
