import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { Database } from "@web-tester/platform/db/database";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import { sliceLines } from "@web-tester/diff/line-range";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { invalidInput } from "../http/parse-input.js";
import { DB, STORE } from "../parts.js";
import { readHtml } from "../rows/read-html.js";
import { selectSnapshot, type WholeSnapshotRow } from "../rows/select-snapshots.sql.js";
import { toTestSnapshot } from "../rows/to-test-snapshot.js";

/** Lines of one answer at most. */
const linesMax = 10_000;

@Controller()
export class SnapshotsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(STORE) private readonly store: ObjectStore,
  ) {}

  @Handles("getTestSnapshot")
  async get(@Parsed() { params, query }: Input<"getTestSnapshot">): Promise<Response<"getTestSnapshot">> {
    const row = await this.load(params.id);
    // no asset is stored yet
    if (query._action === "assets") return [];
    return toTestSnapshot(row, await readHtml(this.store, row));
  }

  @Handles("getSnapshotLines")
  async lines(
    @Parsed() { params, query: { from, to } }: Input<"getSnapshotLines">,
  ): Promise<Response<"getSnapshotLines">> {
    if (to < from) throw invalidInput([{ path: "query.to", message: `must not be smaller than from (${from})` }]);
    if (to - from >= linesMax)
      throw invalidInput([{ path: "query.to", message: `ask for at most ${linesMax} lines at once` }]);
    const row = await this.load(params.id);
    return { from, lines: sliceLines(await readHtml(this.store, row), from, to) };
  }

  private async load(id: string): Promise<WholeSnapshotRow> {
    const row = await selectSnapshot(this.db, id);
    if (row === null) throw notFound("snapshot", id);
    return row;
  }
}
