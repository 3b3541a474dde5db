import { EntitySchema } from "typeorm";

/**
 * Parts of the sum of `content.stored_size` where `stored`, kept by triggers of the table `content`, so no statement
 * writes them. Only the sum of all parts has a meaning; one part may be below zero.
 */
export const storedTotalEntity = new EntitySchema({
  name: "stored_total",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    bytes: { type: "bigint" },
  },
});
