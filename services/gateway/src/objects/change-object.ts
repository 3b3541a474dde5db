import type { Input } from "@web-tester/contracts/api";
import { type LoginStep, loginContext, mergeSteps, showSteps, storedLogin } from "@web-tester/contracts/login-steps";
import { headerName, headersContext } from "@web-tester/contracts/visitor";
import type { Queryable } from "@web-tester/platform/database/database";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { selectLogin, updateObject } from "@web-tester/records/objects/update-object";
import { forgetSession } from "@web-tester/records/sessions/site-sessions";
import { invalidInput } from "../http/parse-input.js";
import { type Credentials, credentialFaults } from "./credential-faults.js";
import { objectUrl } from "./object-url.js";

type Changes = Input<"updateTestObject">["body"];

/**
 * Changes the name, the address and the options of a test object; secrets are encrypted here.
 * @returns false where there is no such test object
 * @throws AppError invalid_input where the credentials or the login cannot be used together with what is stored
 */
export async function changeObject(db: Queryable, secrets: SecretBox, id: string, body: Changes): Promise<boolean> {
  if (!(await checkCredentials(db, id, body))) return false;
  const { auth_password: secret, request_headers: lines, login_steps: steps, ...changes } = body;
  const sealed = secret === undefined ? undefined : secret === "" ? null : secrets.seal(secret, id);
  const headers = lines === undefined ? {} : sealHeaders(secrets, id, lines);
  const login = steps === undefined ? {} : await sealLogin(db, secrets, id, steps);
  const url = changes.url === undefined ? undefined : objectUrl(changes.url);
  const isMoved = url !== undefined && (await isElsewhere(db, id, url));
  const kept = isMoved ? withoutSecrets : {};
  const password = sealed === undefined ? {} : { auth_password_sealed: sealed };
  if (!(await updateObject(db, id, { ...kept, ...changes, url, ...headers, ...login, ...password }))) return false;
  if (steps !== undefined || isMoved) await forgetSession(db, id);
  return true;
}

/**
 * Checks that the credentials as they are after a change can be sent.
 * @returns false where there is no such test object
 * @throws AppError invalid_input
 */
async function checkCredentials(db: Queryable, id: string, body: Changes): Promise<boolean> {
  if (!credentialFields.some((name) => body[name] !== undefined)) return true;
  const [row] = await db.query<StoredCredentials>(storedCredentials, [id]);
  if (row === undefined) return false;
  const {
    auth_enabled: enabled = row.enabled,
    auth_type: type = row.type,
    auth_username: username = row.username,
  } = body;
  const faults = credentialFaults({ enabled, type, username, secret: body.auth_password });
  if (faults.length > 0) throw invalidInput(faults);
  return true;
}

/**
 * Whether an address has another origin than the object's present one: secrets that were meant for one site must not be sent to
 * another.
 */
async function isElsewhere(db: Queryable, id: string, url: string): Promise<boolean> {
  const [row] = await db.query<{ url: string }>(`SELECT url FROM test_object WHERE id = $1`, [id]);
  return row !== undefined && new URL(row.url).origin !== new URL(url).origin;
}

async function sealLogin(db: Queryable, secrets: SecretBox, id: string, given: readonly LoginStep[]) {
  const sealed = await selectLogin(db, id);
  const known = sealed === null ? [] : storedLogin.parse(JSON.parse(secrets.open(sealed, loginContext(id))));
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
    login_sealed: steps.length === 0 ? null : secrets.seal(JSON.stringify(steps), loginContext(id)),
  };
}

function sealHeaders(secrets: SecretBox, id: string, lines: readonly string[]) {
  return {
    request_headers_sealed: lines.length === 0 ? null : secrets.seal(lines.join("\n"), headersContext(id)),
    request_header_names: lines.map(headerName),
  };
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
