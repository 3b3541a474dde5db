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

const chosen = {
  ids: z.array(id).min(1).max(10_000),
  status: z.enum(["changed", "failed", "gone"]),
  q: nameText().max(200).describe("Part of the name or URL"),
};
const notBoth = { path: ["ids"], message: "Name instances or give a filter, not both" };
interface Chosen {
  ids?: readonly string[] | undefined;
  status?: string | undefined;
  q?: string | undefined;
}
const isOneWay = ({ ids, status, q }: Chosen) => ids === undefined || (status === undefined && q === undefined);

/** A selection of an object's instances: named ones, or all that match a filter. Strict: with a field misspelt, all instances would be selected. */
export const instanceSelection = z.strictObject(chosen).partial().refine(isOneWay, notBoth);
export type InstanceSelection = z.infer<typeof instanceSelection>;

/** What is fetched: a selection of instances, or the rest of a fetch that was stopped. */
export const fetchSelection = z
  .strictObject({
    ...chosen,
    stopped_in: id.describe("A stopped fetch: the pages that it did not get to and that were not fetched since"),
  })
  .partial()
  .refine(isOneWay, notBoth)
  .refine(
    ({ stopped_in, ...others }) =>
      stopped_in === undefined || Object.values(others).every((each) => each === undefined),
    {
      path: ["stopped_in"],
      message: "Name a stopped fetch, or select instances, not both",
    },
  );
export type FetchSelection = z.infer<typeof fetchSelection>;
