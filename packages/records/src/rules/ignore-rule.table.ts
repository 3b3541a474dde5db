import { EntitySchema } from "typeorm";

/**
 * A rule on what does not count as a change, for the pages of one test object, or of all objects if none is set. `spec`: the contract's
 * `ruleSpec`; `path`: a wildcard over path and query of the pages that it applies to; `state`: a value of the contract's `ruleState`.
 */
export const ignoreRuleEntity = new EntitySchema({
  name: "ignore_rule",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid", nullable: true },
    spec: { type: "jsonb" },
    path: { type: "text" },
    note: { type: "text" },
    enabled: { type: "boolean", default: true },
    state: { type: "text", default: "active" },
    author: { type: "text" },
    evidence: { type: "jsonb", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
    updated_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [{ name: "ignore_rule_of_object", columns: ["test_object_id", "id"] }],
  foreignKeys: [
    {
      name: "fk_ignore_rule_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
