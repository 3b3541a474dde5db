import type { MigrationInterface, QueryRunner } from "typeorm";

/** Finds the oldest waiting message of a channel without reading those that were sent, however many wait in other channels. */
export class QueuedMessages1700000157000 implements MigrationInterface {
  readonly name = "QueuedMessages1700000157000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX delivery_queued ON delivery (channel_id, id) WHERE state = 'queued'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX delivery_queued`);
  }
}
