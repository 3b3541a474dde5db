import type { MigrationInterface, QueryRunner } from "typeorm";

/** Finds the messages of a channel by when they arrived, or were first tried, so that the list of channels does not read all messages ever sent. */
export class SentMessages1700000149000 implements MigrationInterface {
  readonly name = "SentMessages1700000149000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX delivery_sent ON delivery (channel_id, sent_at) WHERE state = 'sent'`);
    await runner.query(
      `CREATE INDEX delivery_unsent ON delivery (channel_id, first_at) WHERE state IN ('queued', 'sending', 'dead')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX delivery_unsent`);
    await runner.query(`DROP INDEX delivery_sent`);
  }
}
