// @ts-check
import { connect } from "@nats-io/transport-node";

/** The streams to watch: one that hangs blocks everything stored in it and everybody who reads from it. */
const streams = ["WORK", "JOBLOG"];
/** How long a stream may not answer while the server itself does, in ms, … */
const hangsForMs = 20_000;
/** … and the timeout of each request, in ms. */
const answerWithinMs = 5_000;
const everyMs = 5_000;
/** So many requests in a row must time out: a single one also does when this machine slept. */
const questionsMin = 3;
const closeWithinMs = 1_000;

/**
 * Watches the embedded NATS and restarts it when the server answers but one of its streams has hung for 20 s: the server that npm brings
 * (2.14.0) never releases a lock when a disk was full at the wrong moment (nats-server issue 8231), and only a restart helps. The messages
 * of a stream are published again from the rows.
 * @param {string} url nats://…
 * @param {{ restart: () => void, log: (line: string) => void, timing?: { hangsForMs: number, answerWithinMs: number, everyMs: number } }} around
 * @returns {{ stop: () => Promise<void> }}
 */
export function watchNats(
  url,
  {
    restart,
    log,
    timing: { hangsForMs: most, answerWithinMs: timeout, everyMs: pause } = { hangsForMs, answerWithinMs, everyMs },
  },
) {
  const address = new URL(url);
  const opening = connect({
    servers: address.host,
    user: decodeURIComponent(address.username),
    pass: decodeURIComponent(address.password),
    name: "watch",
    maxReconnectAttempts: -1,
    reconnectTimeWait: 1_000,
    waitOnFirstConnect: true,
    ignoreClusterUpdates: true,
  });
  opening.catch(() => undefined);
  let isOver = false;
  /** @type {number | undefined} */
  let hungSince;
  let unanswered = 0;
  /** @type {NodeJS.Timeout} */
  let timer;
  /** @type {Promise<void>} */
  let looking = Promise.resolve();

  function forget() {
    hungSince = undefined;
    unanswered = 0;
  }

  async function look() {
    const connection = await opening;
    const askedAt = performance.now();
    if ((await isHung(connection, timeout)) === false) return forget();
    hungSince ??= askedAt;
    unanswered += 1;
    if (unanswered < questionsMin || performance.now() - hungSince < most || isOver) return;
    log("NATS answers, but keeps nothing any more; starting it again");
    forget();
    restart();
  }

  const next = () => {
    timer = setTimeout(() => {
      looking = look()
        .catch(forget)
        .finally(() => isOver || next());
    }, pause);
    timer.unref();
  };
  next();

  return {
    async stop() {
      isOver = true;
      clearTimeout(timer);
      // a server that is gone has no graceful end to wait for
      await withTimeout(
        opening.then((connection) => connection.close()).then(() => looking),
        closeWithinMs,
      );
    },
  };
}

/**
 * Whether the server answers and one of its streams does not. A server that is down or frozen as a whole is not handled here.
 * @param {import("@nats-io/transport-node").NatsConnection} connection @param {number} timeout
 */
async function isHung(connection, timeout) {
  /** @param {string} subject @param {string} [question] any answer will do, an error too */
  const answers = (subject, question = "") =>
    connection.request(subject, question, { timeout }).then(
      () => true,
      (error) => !/timeout/i.test(String(error)),
    );
  const questions = streams.flatMap((stream) => [
    answers(`$JS.API.STREAM.INFO.${stream}`),
    answers(`$JS.API.STREAM.MSG.GET.${stream}`, JSON.stringify({ last_by_subj: ">" })),
  ]);
  if ((await Promise.all(questions)).every(Boolean)) return false;
  return withTimeout(connection.rtt(), timeout);
}

/** Whether a promise resolves in time. @param {Promise<unknown>} work @param {number} timeout in ms */
async function withTimeout(work, timeout) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(false), timeout);
  });
  const isThere = await Promise.race([work.then(() => true).catch(() => false), late]);
  clearTimeout(timer);
  return isThere === true;
}
