import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds notifications: events, the channels and routes by which people learn of them, and the messages sent. */
export class Telling1700000029000 implements MigrationInterface {
  readonly name = "Telling1700000029000";

  async up(runner: QueryRunner): Promise<void> {
    // existing runs count as reported, so that no messages are sent for them
    await runner.query(`ALTER TABLE run ADD COLUMN told boolean NOT NULL DEFAULT true`);
    await runner.query(`ALTER TABLE run ALTER COLUMN told SET DEFAULT false`);
    await runner.query(`CREATE INDEX run_untold ON run (id) WHERE NOT told AND state <> 'running'`);
    await runner.query(`
      CREATE TABLE watch_event (
        id bigint PRIMARY KEY,
        test_object_id uuid NOT NULL CONSTRAINT fk_watch_event_object REFERENCES test_object (id) ON DELETE CASCADE,
        run_id uuid NOT NULL,
        kind text NOT NULL,
        pages_total integer NOT NULL,
        pages jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query(`CREATE INDEX watch_event_of_object ON watch_event (test_object_id, id)`);
    await runner.query(`
      CREATE TABLE channel (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        kind text NOT NULL,
        name text NOT NULL,
        settings jsonb NOT NULL,
        sealed bytea NOT NULL,
        host text,
        enabled boolean NOT NULL DEFAULT true,
        fault text,
        created_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query(`
      CREATE TABLE route (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        channel_id uuid NOT NULL CONSTRAINT fk_route_channel REFERENCES channel (id) ON DELETE CASCADE,
        test_object_id uuid CONSTRAINT fk_route_object REFERENCES test_object (id) ON DELETE CASCADE,
        spec jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query(`CREATE INDEX route_of_channel ON route (channel_id)`);
    await runner.query(`CREATE INDEX route_of_object ON route (test_object_id)`);
    await runner.query(`
      CREATE TABLE delivery (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        channel_id uuid NOT NULL CONSTRAINT fk_delivery_channel REFERENCES channel (id) ON DELETE CASCADE,
        route_id uuid,
        state text NOT NULL,
        sections jsonb NOT NULL,
        sentence text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        fence integer NOT NULL DEFAULT 0,
        first_at timestamptz,
        lease_until timestamptz,
        next_at timestamptz,
        status integer,
        answer text NOT NULL DEFAULT '',
        created_at timestamptz NOT NULL DEFAULT now(),
        sent_at timestamptz)`);
    await runner.query(`CREATE UNIQUE INDEX delivery_gathering ON delivery (route_id) WHERE state = 'gathering'`);
    await runner.query(
      `CREATE INDEX delivery_waiting ON delivery (next_at) WHERE state IN ('gathering', 'queued', 'sending')`,
    );
    await runner.query(`CREATE INDEX delivery_of_channel ON delivery (channel_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE delivery`);
    await runner.query(`DROP TABLE route`);
    await runner.query(`DROP TABLE channel`);
    await runner.query(`DROP TABLE watch_event`);
    await runner.query(`DROP INDEX run_untold`);
    await runner.query(`ALTER TABLE run DROP COLUMN told`);
  }
}
