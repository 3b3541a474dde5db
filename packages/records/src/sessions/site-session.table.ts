import { EntitySchema } from "typeorm";

/**
 * The session that an object has at its site: cookies and stored texts, encrypted. `round`: the run, or the single snapshot, that it
 * was signed in for, or that could not (`problem`); `version` grows with each; `claimed_until`: somebody signs in now.
 */
export const siteSessionEntity = new EntitySchema({
  name: "site_session",
  columns: {
    test_object_id: { type: "uuid", primary: true },
    round: { type: "uuid", nullable: true },
    version: { type: "integer", default: 0 },
    state_sealed: { type: "bytea", nullable: true },
    problem: { type: "text", nullable: true },
    claimed_until: { type: "timestamptz", nullable: true },
  },
  foreignKeys: [
    {
      name: "fk_site_session_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
