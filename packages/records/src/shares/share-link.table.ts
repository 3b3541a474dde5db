import { EntitySchema } from "typeorm";

/**
 * A link that shows one thing, and nothing else, to everybody who has it: a snapshot (`snapshot_id`), the difference of two (`snapshot_id`
 * the older, `other_id` the newer one) or the review of a run (`run_id`). `secret_hash`: SHA-256 of the text form of its 32 random bytes;
 * `maker_id`: the token or sign-in that made it.
 */
export const shareLinkEntity = new EntitySchema({
  name: "share_link",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    kind: { type: "text" },
    test_object_id: { type: "uuid" },
    run_id: { type: "uuid", nullable: true },
    snapshot_id: { type: "uuid", nullable: true },
    other_id: { type: "uuid", nullable: true },
    secret_hash: { type: "bytea" },
    made_by: { type: "text" },
    maker_id: { type: "uuid", nullable: true },
    note: { type: "text", default: "" },
    created_at: { type: "timestamptz", default: () => "now()" },
    expires_at: { type: "timestamptz" },
    last_used_at: { type: "timestamptz", nullable: true },
    revoked_at: { type: "timestamptz", nullable: true },
    revoked_by: { type: "text", nullable: true },
  },
  checks: [
    {
      name: "share_link_of_one",
      expression: `CASE kind WHEN 'review' THEN run_id IS NOT NULL AND snapshot_id IS NULL AND other_id IS NULL
          WHEN 'snapshot' THEN run_id IS NULL AND snapshot_id IS NOT NULL AND other_id IS NULL
          WHEN 'difference' THEN run_id IS NULL AND snapshot_id IS NOT NULL AND other_id IS NOT NULL ELSE false END`,
    },
  ],
  indices: [
    { name: "share_link_of_object", columns: ["test_object_id", "id"] },
    { name: "share_link_secret", columns: ["secret_hash"], unique: true },
  ],
  foreignKeys: [
    {
      name: "fk_share_link_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
