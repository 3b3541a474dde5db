import type { Sign } from "../http/actor.js";
import { AppError } from "@web-tester/contracts/errors";
import { readViewport, usualWindow } from "@web-tester/contracts/visitor";
import type { MarkKind } from "@web-tester/html/text/mark-text";
import { sentPolicies } from "@web-tester/html/replay/content-policy";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { Replayer } from "@web-tester/replay/replayer";
import { selectAssets } from "@web-tester/records/assets/snapshot-assets";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { shownViewport } from "./shown-viewport.js";
import { askMarks } from "./ask-marks.js";
import { assetAddress } from "../assets/asset-address.js";
import { readNamed } from "./read-named.js";
import type { WholeSnapshotRow } from "./select-snapshots.sql.js";

interface Rendering {
  db: Database;
  store: ObjectStore;
  bus: Bus;
  replayer: Replayer;
  /** Signs the API's addresses. */
  sign: Sign;
}

/** Options of showing a snapshot. */
interface Shown {
  /** SHA-256 in hex of a text in UTF-8 that is shown instead of the stored one. */
  preview?: string | undefined;
  /** The snapshot to compare with: words that it lacks are marked; null: none are. */
  against: WholeSnapshotRow | null;
  /** The kind of marks; `added`: the shown page is the newer of the two. */
  marks: MarkKind;
}

/**
 * Renders a snapshot's page as HTML in UTF-8 (`Replayer`).
 * @throws AppError not_found where nothing was fetched; content_missing, content_damaged, unavailable
 */
export async function renderSnapshot(
  row: WholeSnapshotRow,
  { preview, against, marks }: Shown,
  { db, store, bus, replayer, sign }: Rendering,
): Promise<Buffer> {
  const hash = preview ?? row.hash;
  if (hash === null) throw nothingToShow(row);
  const other = preview === undefined ? against : null;
  if (other !== null && other.hash === null) throw nothingToShow(other);
  const charset = preview === undefined ? row.charset : "utf-8";
  return replayer.page(
    {
      key: JSON.stringify([hash, charset, other?.hash, other?.charset, other === null ? null : marks]),
      baseUrl: row.final_url ?? row.instance_url,
      read: async () => ({
        bytes:
          preview === undefined
            ? await store.read(Buffer.from(hash, "hex"))
            : await readNamed(store, preview, "preview"),
        charset,
        marks: other === null ? null : { ranges: await markedRanges(row, other, marks, bus), kind: marks },
      }),
    },
    {
      store,
      assets: await selectAssets(db, row.id),
      window: readViewport(shownViewport(row.taken_with, row.object_viewport)) ?? usualWindow,
      noscript: row.fetch_mode_used === "browser" ? "hide" : "show",
      policies: row.fetch_mode_used === null ? undefined : sentPolicies(row.headers),
      address: (asset) => assetAddress(asset, sign),
    },
  );
}

async function markedRanges(
  row: WholeSnapshotRow,
  against: WholeSnapshotRow,
  kind: MarkKind,
  bus: Bus,
): Promise<readonly number[]> {
  const own = { hash: row.hash ?? "", charset: row.charset };
  const other = { hash: against.hash ?? "", charset: against.charset };
  const { a, b } = kind === "added" ? await askMarks(bus, other, own) : await askMarks(bus, own, other);
  return kind === "added" ? b : a;
}

function nothingToShow(row: WholeSnapshotRow): AppError {
  return new AppError(
    "not_found",
    `Snapshot #${row.number} of ${row.instance_url} has no page to show: ${row.error ?? "it has not been fetched."}`,
  );
}
