import { questions, type RenderReply } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import { authorizationOf } from "@web-tester/loader/authorization";
import { visitInBrowser } from "@web-tester/loader/browser/visitor";
import type { PageResult } from "@web-tester/loader/page-result";
import type { BrowserLoader } from "@web-tester/loader/browser/browser-loader";
import { isSignedOut, type SessionState } from "@web-tester/loader/session-state";
import type { Database } from "@web-tester/platform/database/database";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashInSteps } from "@web-tester/platform/object-store/open-object-store";
import { readyRule } from "../pure/ready-rule.js";
import { createHostTurns } from "../steps/host-turns.js";
import type { PageReader } from "../steps/page-reader.js";
import type { ScriptEffects } from "../steps/script-effects.js";
import type { SiteSessions } from "../steps/site-sessions.js";
import { selectAccess } from "../steps/select-access.sql.js";
import { noteWhatScriptsDid } from "../steps/what-scripts-did.js";

interface RenderDeps {
  db: Database;
  store: ObjectStore;
  secrets: SecretBox;
  browser: BrowserLoader;
  reader: Pick<PageReader, "signs" | "drawn">;
  effects: Pick<ScriptEffects, "note">;
  sessions: SiteSessions;
  signal: AbortSignal;
}

/**
 * The largest document that is sent inside the reply: a larger one would not fit into one bus message (1 MiB by default),
 * JSON's escapes included.
 */
const inlineMaxBytes = 256 * 1024;

/**
 * Handler of the question `render`: one page of a test object as the browser shows it. The asker holds the host's turn;
 * the page makes its requests one at a time within it.
 */
export function createAnswerRender(deps: RenderDeps): (request: unknown) => Promise<RenderReply> {
  const { db, store, signal } = deps;
  return async (request) => {
    const { objectId, url, round } = readQuestion(questions.render, request);
    const access = await selectAccess(db, objectId);
    if (access === null) return { kind: "failed", reason: "The test object is gone." };
    // the asker stops waiting after this time
    const wanted = AbortSignal.any([signal, AbortSignal.timeout(questions.render.timeoutMs)]);
    const load = (session: SessionState | null) => loadInTurn({ objectId, url }, access, session, wanted, deps);
    const page = await (access.visit.signsIn && round !== undefined
      ? loadSignedIn({ objectId, url, round }, deps.sessions, load)
      : load(null));
    if (page === null) return { kind: "failed", reason: "In the browser it leads to the login page." };
    if (page.kind === "failed") return { kind: "failed", reason: page.message };
    if (page.kind !== "page") return { kind: "failed", reason: "In the browser it is no HTML page." };
    if (access.fetchMode === "auto") await noteWhatScriptsDid(objectId, page, deps);
    const { body, finalUrl, status } = page;
    if (body.length <= inlineMaxBytes) return { kind: "inline", html: body.toString("utf8"), finalUrl, status };
    const hash = await hashInSteps(body);
    await store.write(hash, body);
    return { kind: "stored", sha256: hash.toString("hex"), finalUrl, status };
  };
}

type Access = NonNullable<Awaited<ReturnType<typeof selectAccess>>>;

function loadInTurn(
  { objectId, url }: { objectId: string; url: string },
  access: Access,
  session: SessionState | null,
  wanted: AbortSignal,
  { browser, secrets }: RenderDeps,
): Promise<PageResult> {
  const turns = createHostTurns(consentFor(new URL(url)), 1, async () => null);
  const wish = {
    url,
    consent: consentFor(new URL(access.objectUrl)),
    authorization: authorizationOf(access, secrets),
    owner: objectId,
    enter: turns.enter,
    ready: readyRule(access),
    comparesSource: access.fetchMode === "auto",
    ...visitInBrowser(access.visit),
    session,
  };
  return browser.loadPage(wish, wanted).finally(turns.end);
}

/** @returns null where the page leads to the login page even with a new session */
async function loadSignedIn(
  { objectId, url, round }: { objectId: string; url: string; round: string },
  sessions: SiteSessions,
  load: (session: SessionState | null) => Promise<PageResult>,
): Promise<PageResult | null> {
  const session = await sessions.of(objectId, round);
  const first = await load(session.state);
  if (!isSignedOut(session.state, url, first)) return first;
  const { state } = await sessions.renew(objectId, round, session.version);
  const second = await load(state);
  return isSignedOut(state, url, second) ? null : second;
}
