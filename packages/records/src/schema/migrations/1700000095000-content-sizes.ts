import type { MigrationInterface, QueryRunner } from "typeorm";

/** Copies the size of a page's newest content to the page, so that pages can be sorted by it without reading their snapshots. */
export class ContentSizes1700000095000 implements MigrationInterface {
  readonly name = "ContentSizes1700000095000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_instance ADD content_size integer`);
    await runner.query(`
      UPDATE test_instance i SET content_size = n.size
      FROM test_instance p CROSS JOIN LATERAL (
        SELECT c.size FROM test_snapshot s JOIN content c ON c.hash = s.content_hash
        WHERE s.test_instance_id = p.id AND s.state = 'done' ORDER BY s.id DESC LIMIT 1
      ) n
      WHERE i.id = p.id AND p.snapshots_total > 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_instance DROP COLUMN content_size`);
  }
}
