import { EntitySchema } from "typeorm";

/** The badge of an object. Only the SHA-256 of its address is stored: whoever loses the address has to create a new badge. */
export const statusBadgeEntity = new EntitySchema({
  name: "status_badge",
  columns: {
    test_object_id: { type: "uuid", primary: true },
    secret_hash: { type: "bytea" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [{ name: "status_badge_secret", columns: ["secret_hash"], unique: true }],
  foreignKeys: [
    {
      name: "fk_status_badge_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
