import { z } from "zod";
import { nameText } from "../visible-text.js";
import { count, id, timestamp } from "./vocabulary.js";

/** What is deleted: named instances, all instances, all snapshots, or the whole object. */
export const removalKind = z.enum(["instances", "delete-instances", "delete-snapshots", "delete-object"]);
export type RemovalKind = z.infer<typeof removalKind>;

/** A deletion that is not carried out yet, and can be undone until then. */
export const removal = z
  .object({
    id,
    testobject_id: id,
    kind: removalKind,
    total: count.describe("Instances that go, or snapshots where those alone go"),
    due_at: timestamp.describe("When it is carried out; it cannot be undone after that"),
  })
  .meta({ id: "Removal" });
export type Removal = z.infer<typeof removal>;

/** Seconds after the call until something is deleted. */
export const undoSeconds = z.coerce
  .number()
  .int()
  .min(0)
  .max(300)
  .default(0)
  .describe("Carry it out so many seconds later, and let it be undone until then; 0: at once");

/** A selection of an object's instances: named ones, or all that match a filter. Strict: with a field misspelt, all instances would be selected. */
export const instanceSelection = z
  .strictObject({
    ids: z.array(id).min(1).max(10_000),
    status: z.enum(["changed", "failed", "gone"]),
    q: nameText().max(200).describe("Part of the name or URL"),
  })
  .partial()
  .refine(({ ids, status, q }) => ids === undefined || (status === undefined && q === undefined), {
    path: ["ids"],
    message: "Name instances or give a filter, not both",
  });
export type InstanceSelection = z.infer<typeof instanceSelection>;
