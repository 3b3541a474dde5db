import { EntitySchema } from "typeorm";

/**
 * Content without a row whose bytes are to be removed from the object store. The row of the content goes in the transaction that writes this
 * one, so nothing can refer to it any more; this one goes when the bytes are gone. Until `lease_until` a removal may be on its way: whoever
 * writes the same bytes anew waits for that. `error`: why the store refused the last time.
 */
export const contentRemovalEntity = new EntitySchema({
  name: "content_removal",
  columns: {
    hash: { type: "bytea", primary: true },
    lease_until: { type: "timestamptz" },
    error: { type: "text", nullable: true },
  },
});
