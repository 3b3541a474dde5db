import { EntitySchema } from "typeorm";

/**
 * A call that changes something, recorded before it is carried out; `status` and `code` say how it ended, null while it is in progress, or
 * if the gateway ended before it. An entry outlives what it names, so it has no foreign keys. `fields`: names of the fields that the body
 * sets, never values.
 */
export const auditEntryEntity = new EntitySchema({
  name: "audit_entry",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    created_at: { type: "timestamptz", default: () => "now()" },
    actor: { type: "text" },
    actor_kind: { type: "text" },
    actor_id: { type: "uuid", nullable: true },
    role: { type: "text", nullable: true },
    address: { type: "text" },
    action: { type: "text" },
    subject_kind: { type: "text", nullable: true },
    subject_id: { type: "uuid", nullable: true },
    test_object_id: { type: "uuid", nullable: true },
    object_name: { type: "text", nullable: true },
    made_id: { type: "uuid", nullable: true },
    fields: { type: "text", array: true, default: "{}" },
    status: { type: "smallint", nullable: true },
    code: { type: "text", nullable: true },
  },
  indices: [
    { name: "audit_entry_age", columns: ["created_at"] },
    { name: "audit_entry_of_object", columns: ["test_object_id", "id"] },
  ],
});
