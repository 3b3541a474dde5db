import { EntitySchema } from "typeorm";

/**
 * An object's session at its site: cookies and web storage, encrypted. `round`: the run, or single snapshot, for which signing in succeeded
 * or failed (`problem`); `version` grows with each sign-in; `claimed_until`: a worker is signing in until then.
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
