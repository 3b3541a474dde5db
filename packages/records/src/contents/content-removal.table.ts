import { EntitySchema } from "typeorm";

/**
 * Content without a row, whose bytes are to be removed from the object store. The transaction that writes this row deletes the row of the
 * content, so nothing can refer to it any more; this row goes when the bytes are gone. Until `lease_until` a removal may be in progress,
 * and writers of the same bytes wait for it. `error`: why the store refused the last attempt.
 */
export const contentRemovalEntity = new EntitySchema({
  name: "content_removal",
  columns: {
    hash: { type: "bytea", primary: true },
    lease_until: { type: "timestamptz" },
    error: { type: "text", nullable: true },
  },
});
