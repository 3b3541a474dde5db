import { EntitySchema } from "typeorm";

/** A feed of an object, or of all objects if none is set. Only the SHA-256 of its address is stored: whoever loses the address has to create a new one. */
export const feedEntity = new EntitySchema({
  name: "feed",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid", nullable: true },
    secret_hash: { type: "bytea" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "feed_of_object", columns: ["test_object_id"], unique: true },
    { name: "feed_secret", columns: ["secret_hash"], unique: true },
  ],
  foreignKeys: [
    {
      name: "fk_feed_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
