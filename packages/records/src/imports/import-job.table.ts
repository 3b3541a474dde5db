import { EntitySchema } from "typeorm";

const none = `'{"objects": 0, "instances": 0, "snapshots": 0}'`;

/**
 * One import. States: reading → applying → finished | failed | cancelled. While it is reading its records are collected
 * aside; a file with a fault fails here and has changed nothing. `queued_at` is renewed while it reads, so that one whose process died is noticed.
 * `attempts`: tries to write since an object was written last, counted when they begin, so that one that ends its process counts too;
 * `failures`: those of them that failed in words; `failure`: what the last of these said; `notes`: what is left for a person to do, in sentences.
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
