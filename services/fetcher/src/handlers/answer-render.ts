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
import { createHostTurns } from "../steps/host-turns.js";
import type { SiteSessions } from "../steps/site-sessions.js";
import { selectAccess } from "../steps/select-access.sql.js";

interface RenderDeps {
  db: Database;
  store: ObjectStore;
  secrets: SecretBox;
  browser: BrowserLoader;
  sessions: SiteSessions;
  signal: AbortSignal;
}

/** A larger document would not fit into one bus message (1 MiB by default), JSON's escapes included. */
const inlineMaxBytes = 256 * 1024;

/**
 * Handler of the question `render`: one page of a test object as the browser shows it. The asker holds the host's turn; the
 * page makes its requests one at a time inside it.
 */
export function createAnswerRender({
  db,
  store,
  secrets,
  browser,
  sessions,
  signal,
}: RenderDeps): (request: unknown) => Promise<RenderReply> {
  return async (request) => {
    const asked = readQuestion(questions.render, request);
    const { objectId, url, round } = asked;
    const access = await selectAccess(db, objectId);
    if (access === null) return { kind: "failed", reason: "The test object is gone." };
    // whoever asked does not wait any longer by then
    const wanted = AbortSignal.any([signal, AbortSignal.timeout(questions.render.timeoutMs)]);
    const load = async (session: SessionState | null) => {
      const turns = createHostTurns(consentFor(new URL(url)), 1, async () => null);
      const wish = {
        url,
        consent: consentFor(new URL(access.objectUrl)),
        authorization: authorizationOf(access, secrets),
        owner: objectId,
        enter: turns.enter,
        ...visitInBrowser(access.visit),
        session,
      };
      return browser.loadPage(wish, wanted).finally(turns.end);
    };
    const signedIn = async (inRound: string): Promise<PageResult | null> => {
      const session = await sessions.of(objectId, inRound);
      const first = await load(session.state);
      if (!isSignedOut(session.state, url, first)) return first;
      const { state } = await sessions.renew(objectId, inRound, session.version);
      const second = await load(state);
      return isSignedOut(state, url, second) ? null : second;
    };
    const page = await (access.visit.signsIn && round !== undefined ? signedIn(round) : load(null));
    if (page === null) return { kind: "failed", reason: "In the browser it leads to the login page." };
    if (page.kind === "failed") return { kind: "failed", reason: page.message };
    if (page.kind !== "page") return { kind: "failed", reason: "In the browser it is no HTML page." };
    const { body, finalUrl } = page;
    if (body.length <= inlineMaxBytes) return { kind: "inline", html: body.toString("utf8"), finalUrl };
    const hash = await hashInSteps(body);
    await store.write(hash, body);
    return { kind: "stored", sha256: hash.toString("hex"), finalUrl };
  };
}
