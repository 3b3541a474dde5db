import { EntitySchema } from "typeorm";

/**
 * Parts of the sum of `content.stored_size` where `stored`, maintained by triggers of the table `content`; no statement writes them. Only
 * the sum of all parts has a meaning; a single part may be negative.
 */
export const storedTotalEntity = new EntitySchema({
  name: "stored_total",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    bytes: { type: "bigint" },
  },
});
