import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { id as idSchema } from "@web-tester/contracts/entities/vocabulary";
import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Database } from "@web-tester/platform/database/database";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { headerName, headersContext } from "@web-tester/contracts/visitor";
import { insertObject } from "@web-tester/records/objects/insert-object";
import { updateObject } from "@web-tester/records/objects/update-object";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { BROWSER_PROBLEM, DB, SECRETS } from "../parts.js";
import { requireObject } from "../http/require-object.js";
import { objectUrl } from "./object-url.js";
import { previewExcludes } from "./preview-excludes.js";
import { selectObject, selectObjects } from "./select-objects.sql.js";
import { byUrgency, toTestObject } from "./to-test-object.js";

@Controller()
export class ObjectsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(SECRETS) private readonly secrets: SecretBox,
    @Inject(BROWSER_PROBLEM) private readonly browserProblem: () => Promise<string | null>,
  ) {}

  @Handles("listTestObjects")
  async list(): Promise<Response<"listTestObjects">> {
    const rows = await selectObjects(this.db);
    const problem = await this.browserProblem();
    return rows.map((row) => toTestObject(row, problem)).sort(byUrgency);
  }

  @Handles("createTestObject")
  async create(@Parsed() { body }: Input<"createTestObject">): Promise<Response<"createTestObject">> {
    return this.load(await insertObject(this.db, body.name, objectUrl(body.url)));
  }

  @Handles("getTestObject")
  async get(@Parsed() { params }: Input<"getTestObject">): Promise<Response<"getTestObject">> {
    // the specification answers an empty list, not 404, where there is no such object
    if (!idSchema.safeParse(params.id).success) return [];
    const row = await selectObject(this.db, params.id);
    return row === null ? [] : toTestObject(row, await this.browserProblem());
  }

  @Handles("updateTestObject")
  async update(@Parsed() { params, body }: Input<"updateTestObject">): Promise<Response<"updateTestObject">> {
    const { auth_password: secret, request_headers: lines, ...changes } = body;
    const sealed = secret === undefined ? undefined : secret === "" ? null : this.secrets.seal(secret, params.id);
    const headers = lines === undefined ? {} : this.sealHeaders(params.id, lines);
    if (!(await updateObject(this.db, params.id, { ...changes, ...headers, auth_password_sealed: sealed })))
      throw notFound("test object", params.id);
    return this.load(params.id);
  }

  @Handles("previewExcludes")
  async preview(@Parsed() { params, body }: Input<"previewExcludes">): Promise<Response<"previewExcludes">> {
    await requireObject(this.db, params.id);
    return previewExcludes(this.db, params.id, body.exclude_list);
  }

  private sealHeaders(id: string, lines: readonly string[]) {
    return {
      request_headers_sealed: lines.length === 0 ? null : this.secrets.seal(lines.join("\n"), headersContext(id)),
      request_header_names: lines.map(headerName),
    };
  }

  private async load(id: string): Promise<TestObject> {
    const row = await selectObject(this.db, id);
    if (row === null) throw notFound("test object", id);
    return toTestObject(row, await this.browserProblem());
  }
}
