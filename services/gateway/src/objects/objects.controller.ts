import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { id as idSchema } from "@web-tester/contracts/entities/vocabulary";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { type LoginStep, loginContext, mergeSteps, showSteps, storedLogin } from "@web-tester/contracts/login-steps";
import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { headerName, headersContext } from "@web-tester/contracts/visitor";
import { insertObject } from "@web-tester/records/objects/insert-object";
import { forgetSession } from "@web-tester/records/sessions/site-sessions";
import { selectLogin, updateObject } from "@web-tester/records/objects/update-object";
import { pictureAddress } from "../assets/asset-address.js";
import { type Sign, Signed } from "../http/actor.js";
import { askQuestion } from "../http/ask-question.js";
import { invalidInput } from "../http/parse-input.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { BROWSER_PROBLEM, BUS, DB, SECRETS } from "../parts.js";
import { requireObject } from "../http/require-object.js";
import { type Credentials, credentialFaults } from "./credential-faults.js";
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
    return this.load(await insertObject(this.db, body.name, objectUrl(body.url)));
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
    await this.checkCredentials(params.id, body);
    const { auth_password: secret, request_headers: lines, login_steps: steps, ...changes } = body;
    const sealed = secret === undefined ? undefined : secret === "" ? null : this.secrets.seal(secret, params.id);
    const headers = lines === undefined ? {} : this.sealHeaders(params.id, lines);
    const login = steps === undefined ? {} : await this.sealLogin(params.id, steps);
    const url = changes.url === undefined ? undefined : objectUrl(changes.url);
    const isElsewhere = url !== undefined && (await this.isElsewhere(params.id, url));
    const kept = isElsewhere ? withoutSecrets : {};
    const password = sealed === undefined ? {} : { auth_password_sealed: sealed };
    const all = { ...kept, ...changes, url, ...headers, ...login, ...password };
    if (!(await updateObject(this.db, params.id, all))) throw notFound("test object", params.id);
    if (steps !== undefined || isElsewhere) await forgetSession(this.db, params.id);
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

  /**
   * Checks that the credentials as they are after a change can be sent.
   * @throws AppError invalid_input
   */
  private async checkCredentials(id: string, body: Input<"updateTestObject">["body"]): Promise<void> {
    if (!credentialFields.some((name) => body[name] !== undefined)) return;
    const [row] = await this.db.query<StoredCredentials>(storedCredentials, [id]);
    if (row === undefined) throw notFound("test object", id);
    const {
      auth_enabled: enabled = row.enabled,
      auth_type: type = row.type,
      auth_username: username = row.username,
    } = body;
    const faults = credentialFaults({ enabled, type, username, secret: body.auth_password });
    if (faults.length > 0) throw invalidInput(faults);
  }

  /**
   * Whether an address has another origin than the object's present one: secrets that were meant for one site must not be sent to
   * another.
   */
  private async isElsewhere(id: string, url: string): Promise<boolean> {
    const [row] = await this.db.query<{ url: string }>(`SELECT url FROM test_object WHERE id = $1`, [id]);
    return row !== undefined && new URL(row.url).origin !== new URL(url).origin;
  }

  private async sealLogin(id: string, given: readonly LoginStep[]) {
    const sealed = await selectLogin(this.db, id);
    const known = sealed === null ? [] : storedLogin.parse(JSON.parse(this.secrets.open(sealed, loginContext(id))));
    const { steps, elsewhere } = mergeSteps(given, known);
    if (elsewhere.length > 0)
      throw invalidInput(
        elsewhere.map((index) => ({
          path: `body.login_steps.${index}.value`,
          message: "was stored for a page of another site, which keeps it; enter it again for this one",
        })),
      );
    return {
      login_steps: JSON.stringify(showSteps(steps)),
      login_sealed: steps.length === 0 ? null : this.secrets.seal(JSON.stringify(steps), loginContext(id)),
    };
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

const credentialFields = ["auth_enabled", "auth_type", "auth_username", "auth_password"] as const;
type StoredCredentials = Omit<Credentials, "secret">;
const storedCredentials = `
  SELECT auth_enabled AS enabled, auth_type AS type, auth_username AS username FROM test_object WHERE id = $1`;

/** The values of an object without any secrets. */
const withoutSecrets = {
  auth_enabled: false,
  auth_password_sealed: null,
  request_headers_sealed: null,
  request_header_names: [],
  login_steps: "[]",
  login_sealed: null,
};
