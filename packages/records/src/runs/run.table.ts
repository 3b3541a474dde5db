import { EntitySchema } from "typeorm";

/**
 * One crawl, fetch, comparison, deletion or other run, in progress or past. Counters change only in the transaction that changes the row
 * they count; `completed` includes `failed` and ends equal to `total`. `rules`: the settings that a crawl keeps, as they were when it was
 * started. `links_settled`: the pages that contain broken links are known; `lists`: whether a crawl's rows are `kept`, or `removing` or
 * `removed` because newer crawls came, with the counts left in `report`. `settled`: number of changed pages that have a verdict.
 * `started_by`: a value of the contract's `startedBy`; `started_name`: the token or person that started it, if there is one. `told`: its
 * findings have become events and messages. `cursor`: the last page that is done, when rules are evaluated again.
 * `look`: whether pages are looked at again before the run is told: `open` (not decided), `wanted` (from `look_at` on) or `looking`;
 * `look_stage` counts such looks, and `look_of` is, for such a look, the run that it is for. `untold_since`, `untold_tries` and `untold_why`:
 * the first time that it could not be told, how often, and the error of the last time. `stopped`: the pages among `completed` that it did not
 * get to because it was stopped. `met_before`: for a crawl that found no page, how many fetches in a row had met the same outage before it was
 * told; for a fetch of which all pages failed, how many crawls had.
 */
export const runEntity = new EntitySchema({
  name: "run",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    kind: { type: "text" },
    state: { type: "text", default: "running" },
    total: { type: "integer", default: 0 },
    completed: { type: "integer", default: 0 },
    failed: { type: "integer", default: 0 },
    changed: { type: "integer", default: 0 },
    found: { type: "integer", default: 0 },
    found_new: { type: "integer", default: 0 },
    bytes: { type: "bigint", default: 0 },
    ended_by: { type: "text", nullable: true },
    links_settled: { type: "boolean", default: false },
    lists: { type: "text", default: "kept" },
    report: { type: "jsonb", nullable: true },
    rules: { type: "jsonb", nullable: true },
    told: { type: "boolean", default: false },
    started_by: { type: "text", default: "person" },
    started_name: { type: "text", nullable: true },
    label: { type: "text", nullable: true },
    settled: { type: "integer", default: 0 },
    look: { type: "text", default: "open" },
    look_stage: { type: "smallint", default: 0 },
    look_at: { type: "timestamptz", nullable: true },
    look_of: { type: "uuid", nullable: true },
    untold_since: { type: "timestamptz", nullable: true },
    untold_tries: { type: "integer", default: 0 },
    untold_why: { type: "text", default: "" },
    stopped: { type: "integer", default: 0 },
    met_before: { type: "integer", default: 0 },
    cursor: { type: "uuid", nullable: true },
    generation: { type: "integer", default: 0 },
    queued_at: { type: "timestamptz", default: () => "now()" },
    created_at: { type: "timestamptz", default: () => "now()" },
    finished_at: { type: "timestamptz", nullable: true },
  },
  checks: [{ name: "run_counters", expression: "failed <= completed AND completed <= total" }],
  indices: [
    { name: "run_going", columns: ["test_object_id"], where: "state = 'running'" },
    { name: "run_labelled", columns: ["test_object_id", "label", "id"], where: "label IS NOT NULL" },
    { name: "run_links_unsettled", columns: ["id"], where: "kind = 'crawl' AND NOT links_settled" },
    {
      name: "run_lists_kept",
      columns: ["test_object_id", "kind", "id"],
      where: "kind IN ('crawl', 'sitemaps') AND lists <> 'removed'",
    },
    { name: "run_look_of", columns: ["look_of"], where: "look_of IS NOT NULL" },
    { name: "run_look_wanted", columns: ["look_at"], where: "look = 'wanted'" },
    { name: "run_of_kind", columns: ["test_object_id", "kind", "id"] },
    { name: "run_of_object", columns: ["test_object_id", "id"] },
    { name: "run_untold", columns: ["id"], where: "NOT told AND state <> 'running'" },
    {
      name: "run_running",
      columns: ["test_object_id", "kind"],
      unique: true,
      where: "state = 'running' AND kind NOT IN ('snapshot-one', 'compare')",
    },
  ],
  foreignKeys: [
    {
      name: "fk_run_test_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
