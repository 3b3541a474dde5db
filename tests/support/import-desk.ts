import { applyImport } from "@web-tester/gateway/transfer/apply-import";
import { insertJob, startApplying } from "@web-tester/records/imports/import-job";
import { type StageDeps, stageRecords } from "@web-tester/gateway/transfer/stage-records";
import type { Database } from "@web-tester/platform/database/database";
import { createSecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { collectStrays, collectUnused } from "@web-tester/records/contents/collect-contents";
import { startDatabase } from "./database.js";

export const signal = new AbortController().signal;
/** A bus without listeners: published messages are lost, which the product must tolerate. */
export const deafBus = { logLine: () => undefined, publish: () => Promise.resolve() } as never;

/** The steps of an import, one by one, on a database and a store without services. */
export interface ImportDesk extends StageDeps {
  url: string;
  /** Runs the collector as if it were an hour later. */
  collect(): Promise<void>;
  /**
   * Stages a file.
   * @param pause between its pieces and around every write of bytes @returns id of the import
   */
  stage(file: Buffer | string, pause?: () => Promise<void>): Promise<string>;
  startApplying(id: string): Promise<void>;
  apply(id: string, db?: Database): Promise<boolean>;
  /** Runs all steps. */
  importNow(file: Buffer | string): Promise<string>;
  job(id: string): Promise<Record<string, unknown> & { imported?: { snapshots: number } }>;
  /** The numbers of rows in tables. */
  count(...tables: string[]): Promise<number[]>;
  /** Deletes everything. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

export async function openImportDesk(): Promise<ImportDesk> {
  const own = await startDatabase(8);
  const { db, url } = own;
  const store = openObjectStore(own.storageUrl);
  const secrets = createSecretBox(Buffer.alloc(32, 7));

  const desk: ImportDesk = {
    db,
    url,
    store,
    secrets,
    async collect() {
      const collection = { db, store, graceMs: 0, signal };
      await collectUnused(collection);
      await collectStrays(collection);
    },
    async stage(file, pause = () => Promise.resolve()) {
      const bytes = Buffer.from(file);
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += 256) {
          yield bytes.subarray(at, at + 256);
          await pause();
        }
      }
      const slow: ObjectStore = {
        ...store,
        write: async (hash, content) => {
          await pause();
          const written = await store.write(hash, content);
          await pause();
          return written;
        },
      };
      const id = await insertJob(db, null, null);
      const form = bytes.toString("latin1", 257, 262) === "ustar" ? "archive" : "json";
      const faults = await stageRecords({ db, store: slow, secrets }, id, { form, chunks: chunks() }, () => 0);
      if (faults.total > 0) throw new Error(JSON.stringify(faults));
      return id;
    },
    async startApplying(id) {
      await startApplying(db, id, 0);
    },
    apply: (id, used = db) => applyImport({ db: used, bus: deafBus, signal }, id),
    async importNow(file) {
      const id = await desk.stage(file);
      await desk.startApplying(id);
      await desk.apply(id);
      return id;
    },
    async job(id) {
      const [row] = await db.query<{ imported: { snapshots: number } }>("SELECT * FROM import_job WHERE id = $1", [id]);
      return { ...row };
    },
    count: (...tables) => Promise.all(tables.map(async (table) => (await db.query(`SELECT 1 FROM ${table}`)).length)),
    async clear() {
      await db.query("TRUNCATE test_object, import_job, content CASCADE");
      await desk.collect();
    },
    async stop() {
      store.close();
      await own.stop();
    },
  };
  return desk;
}
