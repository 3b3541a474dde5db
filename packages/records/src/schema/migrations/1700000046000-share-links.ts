import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds share links, each of which shows one thing to everybody who has the link. */
export class ShareLinks1700000046000 implements MigrationInterface {
  readonly name = "ShareLinks1700000046000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE share_link (
        id uuid NOT NULL DEFAULT uuidv7(), kind text NOT NULL, test_object_id uuid NOT NULL, run_id uuid, snapshot_id uuid, other_id uuid,
        secret_hash bytea NOT NULL, made_by text NOT NULL, maker_id uuid, note text NOT NULL DEFAULT '',
        created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, last_used_at timestamptz, revoked_at timestamptz, revoked_by text,
        CONSTRAINT pk_share_link PRIMARY KEY (id),
        CONSTRAINT share_link_of_one CHECK (CASE kind WHEN 'review' THEN run_id IS NOT NULL AND snapshot_id IS NULL AND other_id IS NULL
          WHEN 'snapshot' THEN run_id IS NULL AND snapshot_id IS NOT NULL AND other_id IS NULL
          WHEN 'difference' THEN run_id IS NULL AND snapshot_id IS NOT NULL AND other_id IS NOT NULL ELSE false END),
        CONSTRAINT fk_share_link_object FOREIGN KEY (test_object_id) REFERENCES test_object (id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE UNIQUE INDEX share_link_secret ON share_link (secret_hash)`);
    await runner.query(`CREATE INDEX share_link_of_object ON share_link (test_object_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE share_link`);
  }
}
