import { EntitySchema } from "typeorm";

const none = `'{"objects": 0, "instances": 0, "snapshots": 0}'`;

/**
 * One import. States: reading → applying → finished | failed | cancelled. While it is reading, its records are staged (`import_row`); a
 * file with a fault fails in this state and has changed nothing. `queued_at` is renewed while it reads, so that the death of its process is
 * noticed. `attempts`: attempts at writing since the last object was written, counted when they begin, so that one that crashes its process
 * counts too; `failures`: those that failed with an error; `failure`: the message of the last error; `notes`: sentences on what is left for
 * a person to do.
 */
export const importJobEntity = new EntitySchema({
  name: "import_job",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    name: { type: "text", nullable: true },
    state: { type: "text", default: "reading" },
    bytes: { type: "bigint", default: 0 },
    bytes_total: { type: "bigint", nullable: true },
    total: { type: "integer", default: 0 },
    completed: { type: "integer", default: 0 },
    imported: { type: "jsonb", default: () => none },
    existing: { type: "jsonb", default: () => none },
    faults: { type: "jsonb", default: () => "'[]'" },
    faults_total: { type: "integer", default: 0 },
    error: { type: "text", nullable: true },
    attempts: { type: "smallint", default: 0 },
    failures: { type: "smallint", default: 0 },
    failure: { type: "text", nullable: true },
    notes: { type: "jsonb", default: () => "'[]'" },
    generation: { type: "integer", default: 0 },
    queued_at: { type: "timestamptz", default: () => "now()" },
    created_at: { type: "timestamptz", default: () => "now()" },
    finished_at: { type: "timestamptz", nullable: true },
  },
  indices: [{ name: "import_job_open", columns: ["queued_at"], where: "state = 'reading' OR state = 'applying'" }],
});
