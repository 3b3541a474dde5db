import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the time until which nothing is sent to a channel, and all pages of large events. */
export class ChannelHolds1700000040000 implements MigrationInterface {
  readonly name = "ChannelHolds1700000040000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE channel ADD COLUMN held_until timestamptz`);
    await runner.query(`
      CREATE TABLE watch_event_part (
        event_id bigint NOT NULL, part integer NOT NULL, pages jsonb NOT NULL,
        CONSTRAINT pk_watch_event_part PRIMARY KEY (event_id, part),
        CONSTRAINT fk_watch_event_part_event FOREIGN KEY (event_id) REFERENCES watch_event (id) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE watch_event_part`);
    await runner.query(`ALTER TABLE channel DROP COLUMN held_until`);
  }
}
