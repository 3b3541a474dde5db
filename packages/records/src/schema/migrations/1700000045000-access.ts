import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds named tokens, sign-ins of browsers, and the audit log. */
export class Access1700000045000 implements MigrationInterface {
  readonly name = "Access1700000045000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_token (
        id uuid NOT NULL DEFAULT uuidv7(), name text NOT NULL, role text NOT NULL, secret_hash bytea NOT NULL, made_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz, revoked_by text,
        CONSTRAINT pk_api_token PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE UNIQUE INDEX api_token_secret ON api_token (secret_hash)`);
    await runner.query(`
      CREATE TABLE sign_in (
        id uuid NOT NULL DEFAULT uuidv7(), secret_hash bytea NOT NULL, token_id uuid, root_mark bytea, role text, person_id uuid, name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL,
        CONSTRAINT pk_sign_in PRIMARY KEY (id),
        CONSTRAINT sign_in_of_one CHECK (num_nonnulls(token_id, root_mark, role) = 1),
        CONSTRAINT fk_sign_in_token FOREIGN KEY (token_id) REFERENCES api_token (id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE UNIQUE INDEX sign_in_secret ON sign_in (secret_hash)`);
    await runner.query(`CREATE INDEX sign_in_end ON sign_in (expires_at)`);
    await runner.query(`
      CREATE TABLE audit_entry (
        id uuid NOT NULL DEFAULT uuidv7(), created_at timestamptz NOT NULL DEFAULT now(), actor text NOT NULL, actor_kind text NOT NULL,
        actor_id uuid, role text, address text NOT NULL, action text NOT NULL, subject_kind text, subject_id uuid, test_object_id uuid,
        object_name text, made_id uuid, fields text[] NOT NULL DEFAULT '{}', status smallint, code text,
        CONSTRAINT pk_audit_entry PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX audit_entry_of_object ON audit_entry (test_object_id, id)`);
    await runner.query(`CREATE INDEX audit_entry_age ON audit_entry (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE audit_entry, sign_in, api_token`);
  }
}
