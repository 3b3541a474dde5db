// @ts-check
import { connect } from "@nats-io/transport-node";

/** Streams of the product: one that hangs keeps all that is stored in it, and all who ask for it. */
const streams = ["WORK", "JOBLOG"];
/** So long a stream may say nothing, while the server itself answers, … */
const hangsForMs = 20_000;
/** … and each question is waited for so long. */
const answerWithinMs = 5_000;
const everyMs = 5_000;
/** So many questions one after the other have to stay without an answer: one alone is also late where this machine slept. */
const questionsMin = 3;
const closeWithinMs = 1_000;

/**
 * Watches over the embedded NATS, and has it started again where it answers but one of its streams has hung for 20 s: the server that npm brings
 * (2.14.0) never lets go of a lock when a disk was full in the wrong moment (nats-server issue 8231), and nothing but a new start helps. What a
 * stream held is published again from the rows.
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
      // of a server that is gone there is no end to wait for
      await withTimeout(
        opening.then((connection) => connection.close()).then(() => looking),
        closeWithinMs,
      );
    },
  };
}

/**
 * Whether the server answers and one of its streams does not. A server that is away, or frozen as a whole, is none of ours.
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

/** Whether something comes in time. @param {Promise<unknown>} work @param {number} timeout */
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
