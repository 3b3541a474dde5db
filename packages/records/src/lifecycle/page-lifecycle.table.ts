import { EntitySchema } from "typeorm";

/**
 * What became of a page (it came, went, moved …), as a run noticed it. `kind`: a value of the contract's `lifecycleKind`; `url`: the page's
 * address at that time; `to_url`: the address to which it moved. `last_number`: if the history followed the page to its new address, the
 * number of its newest snapshot before that; if the move is undone, later snapshots belong to the new address. `waits`:
 * the history follows as soon as none of the two pages is being fetched.
 */
export const pageLifecycleEntity = new EntitySchema({
  name: "page_lifecycle",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    test_instance_id: { type: "uuid" },
    run_id: { type: "uuid" },
    kind: { type: "text" },
    url: { type: "text" },
    to_url: { type: "text", nullable: true },
    said: { type: "text", default: "" },
    last_number: { type: "integer", nullable: true },
    waits: { type: "boolean", default: false },
    undone_at: { type: "timestamptz", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "page_lifecycle_of_object", columns: ["test_object_id", "id"] },
    { name: "page_lifecycle_of_run", columns: ["run_id"] },
    { name: "page_lifecycle_of_instance", columns: ["test_instance_id"] },
    { name: "page_lifecycle_waiting", columns: ["test_object_id"], where: "waits" },
  ],
  foreignKeys: [
    {
      name: "fk_page_lifecycle_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_page_lifecycle_instance",
      target: "test_instance",
      columnNames: ["test_instance_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
