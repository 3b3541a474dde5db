import type { CDPSession } from "playwright-core";
import type { Authorization } from "../authorization.js";
import { pauseDeclining } from "./decline-passwords.js";

/**
 * Adds an object's credentials to a page's requests to exactly its origin. Chromium pauses every hop of a redirect separately,
 * and headers that were added to one hop are not sent with the next.
 * @returns a function that stops it
 */
export async function sendAuthorization(
  cdp: CDPSession,
  { origin, headers }: Authorization,
): Promise<() => Promise<void>> {
  const { cookie, ...others } = headers;
  if (cookie !== undefined) await setCookies(cdp, origin, cookie);
  const added = Object.entries(others).map(([name, value]) => ({ name, value }));
  if (added.length === 0) return async () => undefined;
  const names = new Set(added.map(({ name }) => name.toLowerCase()));
  const onPaused = ({ requestId, request }: { requestId: string; request: { url: string; headers: object } }) => {
    const isOwn = URL.parse(request.url)?.origin === origin;
    const own = Object.entries(request.headers).flatMap(([name, value]) =>
      names.has(name.toLowerCase()) ? [] : [{ name, value: String(value) }],
    );
    cdp
      .send("Fetch.continueRequest", isOwn ? { requestId, headers: [...own, ...added] } : { requestId })
      .catch(() => undefined); // the request may have been cancelled
  };
  cdp.on("Fetch.requestPaused", onPaused);
  const stopPausing = await pauseDeclining(cdp, [origin]);
  return async () => {
    await stopPausing();
    cdp.off("Fetch.requestPaused", onPaused);
  };
}

/** Sets cookies of an origin in a tab, which pages see and change like any others. They are removed when the tab is emptied. */
async function setCookies(cdp: CDPSession, origin: string, written: string): Promise<void> {
  const cookies = written.split(";").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return name.trim() === "" ? [] : [{ name: name.trim(), value: value.join("=").trim(), url: `${origin}/` }];
  });
  await cdp.send("Network.setCookies", { cookies });
}
