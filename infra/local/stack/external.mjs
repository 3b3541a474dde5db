// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { withoutPassword } from "./settings.mjs";
import { codeOf, StartError, wordsOf } from "./start-error.mjs";
import { until } from "./until.mjs";

/** How long an external server may take to answer, in ms. */
const answerWithinMs = 5_000;
/** How often a server that is not there yet is asked again, in ms. */
const askAgainMs = 1_000;
/** How often it is told that we still wait, in ms. */
const toldEveryMs = 60_000;

/** @typedef {{ signal: AbortSignal, log: (line: string) => void }} Waiting */
/** How long a server is waited for that does not answer at all, in ms: it may be starting beside us, or its address is wrong. */
const unreachableMaxMs = 5_000;
/** @typedef {{ words: string, passes: "later" | "soon" | "never" }} Refusal why a server does not serve us; `passes`: whether waiting may mend it; `soon`: if it takes no longer than `unreachableMaxMs` */

/**
 * Waits until the database in DATABASE_URL lets us in: it may say that it is starting, or recovering after a crash, as long as that takes.
 * @param {string} url
 * @param {Waiting} [waiting] left out: does not wait
 * @throws {StartError} for what waiting does not mend, such as a wrong password or address
 */
export async function databaseAnswers(url, waiting) {
  await answers(() => askDatabase(url), {
    waiting,
    setting: "DATABASE_URL",
    server: `the database at ${withoutPassword(url)}`,
    refusalOf: databaseRefusal,
  });
}

/** @param {string} url */
async function askDatabase(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerWithinMs });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT 1");
  } finally {
    await client.end().catch(() => {});
  }
}

/** Source of the codes: PostgreSQL manual, appendix "PostgreSQL Error Codes". Class 57P: it starts, stops or recovers; 53300: all connections are taken. */
const passingStates = /^(?:57P\d\d|53300)$/;
const passingSystemErrors = /^E(?:CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/;

/**
 * @param {unknown} error
 * @returns {Refusal}
 */
function databaseRefusal(error) {
  const code = codeOf(error);
  if (code === "28P01" || code === "28000")
    return { words: `does not let us in (${wordsOf(error)}): correct the user or password in it`, passes: "never" };
  if (code === "3D000")
    return { words: `does not exist (${wordsOf(error)}): create it, or correct the name`, passes: "never" };
  if (passingStates.test(code)) return { words: `is not ready (${wordsOf(error)})`, passes: "later" };
  // the driver has no code for a server that says nothing, or hangs up
  const isSilent = code === "" && /timeout|terminated/i.test(wordsOf(error));
  return {
    words: `does not answer (${wordsOf(error)}): check the address and that the server runs`,
    passes: isSilent || passingSystemErrors.test(code) ? "soon" : "never",
  };
}

/**
 * Waits until a NATS server answers, lets us in and has JetStream.
 * @param {string} url one address, or several with commas between
 * @param {Waiting} [waiting] left out: does not wait
 * @throws {StartError} for what waiting does not mend, such as a wrong password or address
 */
export async function natsAnswers(url, waiting) {
  const shown = url
    .split(",")
    .map((one) => withoutPassword(one.trim()))
    .join(", ");
  const ask = async () => {
    const info = await natsInfo(url, answerWithinMs);
    if (info?.jetstream !== true)
      throw new StartError(
        `NATS_URL: the server at ${shown} has JetStream switched off: start it with -js; or unset NATS_URL to use the embedded one.`,
      );
  };
  await answers(ask, { waiting, setting: "NATS_URL", server: `the server at ${shown}`, refusalOf: natsRefusal });
}

/**
 * @param {unknown} error
 * @returns {Refusal}
 */
function natsRefusal(error) {
  if (/authorization/i.test(wordsOf(error)))
    return { words: "does not let us in: correct the user or password in it", passes: "never" };
  return { words: `does not answer (${wordsOf(error)}): check the address and that the server runs`, passes: "soon" };
}

/**
 * Asks an external server until it serves us, and says now and then why it does not yet.
 * @param {() => Promise<void>} ask
 * @param {{ waiting: Waiting | undefined, setting: string, server: string, refusalOf: (error: unknown) => Refusal }} about
 * @throws {StartError}
 */
async function answers(ask, { waiting, setting, server, refusalOf }) {
  const beganAt = performance.now();
  let told = { words: "", at: 0 };
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof StartError) throw error;
      const { words, passes } = refusalOf(error);
      const isOver = passes === "never" || (passes === "soon" && performance.now() - beganAt >= unreachableMaxMs);
      if (waiting === undefined || isOver)
        throw new StartError(`${setting}: ${server} ${words}; or unset it to use the embedded one.`, { cause: error });
      if (words !== told.words || performance.now() - told.at >= toldEveryMs) {
        told = { words, at: performance.now() };
        waiting.log(`Waiting for ${setting}: ${server} ${words} (Ctrl-C stops) …`);
      }
      await sleep(askAgainMs, undefined, { signal: waiting.signal });
    }
  }
}

/**
 * Waits until the embedded NATS answers.
 * @param {string} url
 * @param {{ timeoutMs: number, signal?: AbortSignal | undefined, giveUp: () => string | undefined, log: (line: string) => void }} options
 *   `giveUp`: a reason to stop waiting; `log`: gets a line now and then while it takes long
 * @throws {StartError}
 */
export async function natsReady(url, { timeoutMs, signal, giveUp, log }) {
  /** @type {unknown} */
  let lastError;
  const ready = await until(
    async () => {
      const reason = giveUp();
      if (reason !== undefined) throw new StartError(reason);
      try {
        return (await natsInfo(url, 2_000))?.jetstream === true ? true : undefined;
      } catch (error) {
        lastError = error;
        return undefined;
      }
    },
    {
      timeoutMs,
      everyMs: 30,
      signal,
      stillWaiting: (seconds) =>
        log(
          `NATS is not ready after ${seconds} s (${lastError === undefined ? "no answer" : wordsOf(lastError)}); waiting`,
        ),
    },
  );
  if (!ready) throw new StartError(`NATS did not become ready within ${timeoutMs / 1000} s (${wordsOf(lastError)}).`);
}

/** @param {string} url @param {number} timeoutMs */
async function natsInfo(url, timeoutMs) {
  const addresses = url.split(",").map((one) => new URL(one.trim()));
  const [first] = addresses;
  const login =
    first !== undefined && first.username !== ""
      ? { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) }
      : {};
  const connection = await connect({
    servers: addresses.map((one) => one.host),
    ...login,
    ...(first?.protocol === "tls:" ? { tls: {} } : {}),
    timeout: timeoutMs,
    reconnect: false,
  });
  try {
    return connection.info;
  } finally {
    await connection.close();
  }
}
