import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { objectKey } from "@web-tester/platform/object-store/content-hash";
import { type Fault, nothing } from "./fault.ts";

/** Damage that no product survives, to prove that the campaign notices it. Only run if `--faults` names it. */
export const sabotages: readonly Fault[] = [
  {
    name: "sabotage-lost",
    store: "folder",
    async strike({ lane }) {
      const [row] = await lane.db.query<{ hash: Buffer }>(
        "SELECT content_hash AS hash FROM test_snapshot WHERE state = 'done' ORDER BY id LIMIT 1",
      );
      if (row === undefined) throw new Error("There is nothing to lose");
      await unlink(join(lane.objectsDir, objectKey(row.hash)));
      return { where: row.hash.toString("hex"), forMs: 0, heal: nothing };
    },
  },
  {
    name: "sabotage-doubled",
    store: "folder",
    async strike({ lane }) {
      await lane.db.query(
        "UPDATE test_instance SET snapshots_total = snapshots_total + 1 WHERE id = (SELECT min(id::text)::uuid FROM test_instance)",
      );
      return { where: "one page's count", forMs: 0, heal: nothing };
    },
  },
];
