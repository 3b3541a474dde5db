import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import { insertObject } from "@web-tester/records/objects/insert-object";
import { Handles, Parsed } from "../http/handles.js";
import { DB } from "../parts.js";
import { SampleSite } from "./sample-site.js";

const find = `SELECT id FROM test_object WHERE url = $1 AND NOT deleting ORDER BY id LIMIT 1`;

@Controller()
export class SampleController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(SampleSite) private readonly site: SampleSite,
  ) {}

  @Handles("createSample")
  async create(@Parsed() _input: Input<"createSample">): Promise<Response<"createSample">> {
    if (this.site.origin === null)
      throw new AppError("not_found", "This server offers no sample site. Set SAMPLE_PORT to a free port to have one.");
    const url = `${this.site.origin}/`;
    const [known] = await this.db.query<{ id: string }>(find, [url]);
    const id = known?.id ?? (await insertObject(this.db, "Sample site", url));
    return { id, url, created: known === undefined };
  }
}
