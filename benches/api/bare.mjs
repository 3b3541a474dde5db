// @ts-check
/** A bare server of NestJS and pg: each route is one statement whose rows are the answer. Prints its port; ends when its input ends. */
import "reflect-metadata";
import { Controller, Get, Module, Param } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"], max: 8 });
/** @type {Record<string, [path: string, sql: string]>} */
const routes = {
  objects: ["/objects/:id", "SELECT * FROM test_object WHERE $1 <> '' ORDER BY created_at"],
  object: ["/object/:id", "SELECT * FROM test_object WHERE id = $1::uuid"],
  instances: [
    "/instances/:id",
    "SELECT * FROM test_instance WHERE test_object_id = $1::uuid ORDER BY instance_status_order(status), url LIMIT 20",
  ],
  instance: [
    "/instance/:id",
    "SELECT i.*, s.snapshots FROM test_instance i, LATERAL (SELECT json_agg(s ORDER BY s.id DESC) AS snapshots FROM test_snapshot s WHERE s.test_instance_id = i.id) s WHERE i.id = $1::uuid",
  ],
  // the product answers with the page as well, which it stores elsewhere
  snapshot: [
    "/snapshot/:id",
    "SELECT s.*, p.html FROM test_snapshot s JOIN bench_page p ON p.snapshot_id = s.id WHERE s.id = $1::uuid",
  ],
  runs: ["/runs/:id", "SELECT * FROM run WHERE test_object_id = $1::uuid ORDER BY id DESC LIMIT 20"],
};

class Bare {
  /** @param {string} sql @param {string} id */
  async read(sql, id) {
    return (await pool.query(sql, [id])).rows;
  }
}
for (const [name, [path, sql]] of Object.entries(routes)) {
  /** @type {any} */
  const prototype = Bare.prototype;
  prototype[name] = function (/** @type {string} */ id) {
    return this.read(sql, id);
  };
  Get(path)(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) ?? {});
  Param("id")(prototype, name, 0);
}
Controller()(Bare);
class Everything {}
Module({ controllers: [Bare] })(Everything);

const app = await NestFactory.create(Everything, { logger: false });
await app.listen(0, "127.0.0.1");
process.stdout.write(`${app.getHttpServer().address().port}\n`);
process.stdin.once("end", () => process.exit(0)).resume();
