import { EntitySchema } from "typeorm";

/**
 * One fetch of one instance. States: created → queued → running → done | failed | cancelled; running goes back to queued when its lease
 * ends. `fence` grows with every claim, so that a worker that wakes up after its lease cannot write; `generation` grows with every repeated
 * publication of its message. `attempts` counts claims, `failures` those that failed because of the page or its server. `files_id`: the
 * list of the page's files, null when none were looked for; `files_hash`: a digest of their addresses and contents, null when there are
 * none; `asked_as`: a digest of the settings that the request was made with; `final_url`: the result of `keptFinalUrl`; `taken_with`: a
 * `TakenWith`, null in snapshots of earlier releases.
 */
export const testSnapshotEntity = new EntitySchema({
  name: "test_snapshot",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_instance_id: { type: "uuid" },
    run_id: { type: "uuid", nullable: true },
    number: { type: "integer" },
    state: { type: "text", default: "created" },
    lane: { type: "text", default: "bulk" },
    partition: { type: "smallint", default: 0 },
    attempts: { type: "smallint", default: 0 },
    failures: { type: "smallint", default: 0 },
    fence: { type: "integer", default: 0 },
    generation: { type: "integer", default: 0 },
    lease_until: { type: "timestamptz", nullable: true },
    queued_at: { type: "timestamptz", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
    fetched_at: { type: "timestamptz", nullable: true },
    duration_ms: { type: "integer", nullable: true },
    content_hash: { type: "bytea", nullable: true },
    files_id: { type: "uuid", nullable: true },
    files_hash: { type: "bytea", nullable: true },
    charset: { type: "text", nullable: true },
    headers: { type: "jsonb", nullable: true },
    http_status: { type: "integer", nullable: true },
    final_url: { type: "text", nullable: true },
    redirects: { type: "jsonb", nullable: true },
    error_code: { type: "text", nullable: true },
    error: { type: "text", nullable: true },
    warning: { type: "text", nullable: true },
    fetch_mode_used: { type: "text", nullable: true },
    asked_as: { type: "text", nullable: true },
    taken_with: { type: "jsonb", nullable: true },
  },
  indices: [
    { name: "snapshot_once_per_run", columns: ["run_id", "test_instance_id"], unique: true },
    { name: "snapshot_of_instance", columns: ["test_instance_id", "id"] },
    { name: "snapshot_content", columns: ["content_hash"], where: "content_hash IS NOT NULL" },
    { name: "snapshot_files", columns: ["files_id"], where: "files_id IS NOT NULL" },
    { name: "snapshot_texts", columns: ["test_instance_id", "content_hash", "charset"], where: "state = 'done'" },
    { name: "snapshot_queued", columns: ["lane", "partition", "queued_at"], where: "state = 'queued'" },
    { name: "snapshot_running", columns: ["lease_until"], where: "state = 'running'" },
  ],
  foreignKeys: [
    {
      name: "fk_snapshot_instance",
      target: "test_instance",
      columnNames: ["test_instance_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_snapshot_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "SET NULL",
    },
    { name: "fk_snapshot_content", target: "content", columnNames: ["content_hash"], referencedColumnNames: ["hash"] },
    {
      name: "fk_snapshot_files",
      target: "file_list",
      columnNames: ["files_id"],
      referencedColumnNames: ["id"],
      deferrable: "INITIALLY DEFERRED",
    },
  ],
});
