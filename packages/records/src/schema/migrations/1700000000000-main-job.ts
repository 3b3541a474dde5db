import type { MigrationInterface, QueryRunner } from "typeorm";

/** Creates the tables of the product's main job: objects, runs, instances, snapshots, contents, changes and the crawl frontier. */
export class MainJob1700000000000 implements MigrationInterface {
  readonly name = "MainJob1700000000000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE test_object (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        name text NOT NULL,
        url text NOT NULL,
        sitemaps text[] NOT NULL DEFAULT '{}',
        auth_enabled boolean NOT NULL DEFAULT false,
        auth_type text NOT NULL DEFAULT 'basic',
        auth_username text NOT NULL DEFAULT '',
        auth_password_sealed bytea,
        exclude_list text[] NOT NULL DEFAULT '{}',
        asset_snapshots boolean NOT NULL DEFAULT true,
        fetch_mode text NOT NULL DEFAULT 'auto',
        deleting boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE run (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid NOT NULL CONSTRAINT fk_run_test_object REFERENCES test_object (id) ON DELETE CASCADE,
        kind text NOT NULL,
        state text NOT NULL DEFAULT 'running',
        total integer NOT NULL DEFAULT 0,
        completed integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0,
        changed integer NOT NULL DEFAULT 0,
        found integer NOT NULL DEFAULT 0,
        found_new integer NOT NULL DEFAULT 0,
        generation integer NOT NULL DEFAULT 0,
        queued_at timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        CONSTRAINT run_counters CHECK (failed <= completed AND completed <= total)
      )`);
    await runner.query(`CREATE INDEX run_of_object ON run (test_object_id, id)`);
    // an object never has two running crawls, two Fetch Alls or two deletions at once
    await runner.query(
      `CREATE UNIQUE INDEX run_running ON run (test_object_id, kind) WHERE state = 'running' AND kind <> 'snapshot-one'`,
    );
    await runner.query(`
      CREATE TABLE test_instance (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid NOT NULL CONSTRAINT fk_instance_test_object REFERENCES test_object (id) ON DELETE CASCADE,
        url text NOT NULL,
        name text NOT NULL,
        status smallint NOT NULL DEFAULT 7,
        snapshots_total integer NOT NULL DEFAULT 0,
        last_number integer NOT NULL DEFAULT 0,
        last_snapshot_id uuid,
        last_snapshot_at timestamptz,
        http_status integer,
        error text,
        lines_added integer NOT NULL DEFAULT 0,
        lines_removed integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE UNIQUE INDEX instance_url ON test_instance (test_object_id, url)`);
    await runner.query(`CREATE INDEX instance_order ON test_instance (test_object_id, status, url)`);
    await runner.query(`
      CREATE TABLE content (
        hash bytea PRIMARY KEY,
        size integer NOT NULL,
        stored_size integer NOT NULL DEFAULT 0,
        stored boolean NOT NULL DEFAULT false,
        touched_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE test_snapshot (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_instance_id uuid NOT NULL CONSTRAINT fk_snapshot_instance REFERENCES test_instance (id) ON DELETE CASCADE,
        run_id uuid CONSTRAINT fk_snapshot_run REFERENCES run (id) ON DELETE SET NULL,
        number integer NOT NULL,
        state text NOT NULL DEFAULT 'created',
        lane text NOT NULL DEFAULT 'bulk',
        partition smallint NOT NULL DEFAULT 0,
        attempts smallint NOT NULL DEFAULT 0,
        fence integer NOT NULL DEFAULT 0,
        generation integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        queued_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        fetched_at timestamptz,
        duration_ms integer,
        content_hash bytea CONSTRAINT fk_snapshot_content REFERENCES content (hash),
        charset text,
        headers jsonb,
        http_status integer,
        final_url text,
        redirects jsonb,
        error_code text,
        error text,
        warning text
      )`);
    await runner.query(`CREATE UNIQUE INDEX snapshot_once_per_run ON test_snapshot (run_id, test_instance_id)`);
    await runner.query(`CREATE INDEX snapshot_of_instance ON test_snapshot (test_instance_id, id)`);
    await runner.query(`CREATE INDEX snapshot_content ON test_snapshot (content_hash) WHERE content_hash IS NOT NULL`);
    await runner.query(`CREATE INDEX snapshot_queued ON test_snapshot (queued_at) WHERE state = 'queued'`);
    await runner.query(`CREATE INDEX snapshot_running ON test_snapshot (lease_until) WHERE state = 'running'`);
    await runner.query(`
      CREATE TABLE change (
        snapshot_id uuid PRIMARY KEY CONSTRAINT fk_change_snapshot REFERENCES test_snapshot (id) ON DELETE CASCADE,
        previous_id uuid,
        state text NOT NULL DEFAULT 'queued',
        kind text,
        lines_added integer NOT NULL DEFAULT 0,
        lines_removed integer NOT NULL DEFAULT 0,
        coarse boolean NOT NULL DEFAULT false,
        generation integer NOT NULL DEFAULT 0,
        queued_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX change_queued ON change (queued_at) WHERE state = 'queued'`);
    await runner.query(`
      CREATE TABLE crawl_page (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        run_id uuid NOT NULL CONSTRAINT fk_crawl_page_run REFERENCES run (id) ON DELETE CASCADE,
        url text NOT NULL,
        depth smallint NOT NULL,
        partition smallint NOT NULL DEFAULT 0,
        found_on_id uuid,
        state text NOT NULL DEFAULT 'queued',
        attempts smallint NOT NULL DEFAULT 0,
        fence integer NOT NULL DEFAULT 0,
        generation integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        queued_at timestamptz NOT NULL DEFAULT now(),
        outcome text,
        http_status integer,
        error_code text,
        error text,
        test_instance_id uuid
      )`);
    await runner.query(`CREATE UNIQUE INDEX crawl_page_url ON crawl_page (run_id, url)`);
    await runner.query(`CREATE INDEX crawl_page_queued ON crawl_page (queued_at) WHERE state = 'queued'`);
    await runner.query(`CREATE INDEX crawl_page_running ON crawl_page (lease_until) WHERE state = 'running'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ["crawl_page", "change", "test_snapshot", "content", "test_instance", "run", "test_object"]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
