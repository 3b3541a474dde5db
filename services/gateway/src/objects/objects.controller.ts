import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { id as idSchema } from "@web-tester/contracts/entities/vocabulary";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { insertObject } from "@web-tester/records/objects/insert-object";
import { selectLogin } from "@web-tester/records/objects/update-object";
import { pictureAddress } from "../assets/asset-address.js";
import { type Sign, Signed } from "../http/actor.js";
import { askQuestion } from "../http/ask-question.js";
import { invalidInput } from "../http/parse-input.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { BROWSER_PROBLEM, BUS, DB, SECRETS } from "../parts.js";
import { requireObject } from "../http/require-object.js";
import { changeObject } from "./change-object.js";
import { objectUrl } from "./object-url.js";
import { previewExcludes } from "./preview-excludes.js";
import { selectObject, selectObjects } from "./select-objects.sql.js";
import { byUrgency, toTestObject } from "./to-test-object.js";

@Controller()
export class ObjectsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(SECRETS) private readonly secrets: SecretBox,
    @Inject(BUS) private readonly bus: Bus,
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
    const { name, url, ...options } = body;
    // in one transaction: an object whose options are refused is not registered
    const id = await this.db.transaction(async (tx) => {
      const made = await insertObject(tx, name, objectUrl(url));
      await changeObject(tx, this.secrets, made, options);
      return made;
    });
    return this.load(id);
  }

  @Handles("getTestObject")
  async get(@Parsed() { params }: Input<"getTestObject">): Promise<Response<"getTestObject">> {
    // the specification demands an empty list, not 404, where there is no such object
    if (!idSchema.safeParse(params.id).success) return [];
    const row = await selectObject(this.db, params.id);
    return row === null ? [] : toTestObject(row, await this.browserProblem());
  }

  @Handles("updateTestObject")
  async update(@Parsed() { params, body }: Input<"updateTestObject">): Promise<Response<"updateTestObject">> {
    if (!(await changeObject(this.db, this.secrets, params.id, body))) throw notFound("test object", params.id);
    return this.load(params.id);
  }

  @Handles("previewExcludes")
  async preview(@Parsed() { params, body }: Input<"previewExcludes">): Promise<Response<"previewExcludes">> {
    await requireObject(this.db, params.id);
    return previewExcludes(this.db, params.id, body.exclude_list);
  }

  @Handles("tryLogin")
  async tryLogin(@Parsed() { params }: Input<"tryLogin">, @Signed() sign: Sign): Promise<Response<"tryLogin">> {
    await requireObject(this.db, params.id);
    if ((await selectLogin(this.db, params.id)) === null)
      throw invalidInput([{ path: "params.id", message: "has no login steps; save some first" }]);
    const { steps } = await askQuestion(this.bus, questions.tryLogin, { objectId: params.id });
    return {
      ok: steps.every(({ ok }) => ok),
      steps: steps.map((step) => ({
        ...step,
        picture: step.picture === null ? null : pictureAddress(step.picture, sign),
      })),
    };
  }

  private async load(id: string): Promise<TestObject> {
    const row = await selectObject(this.db, id);
    if (row === null) throw notFound("test object", id);
    return toTestObject(row, await this.browserProblem());
  }
}
