// @ts-check
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { withoutPassword } from "./settings.mjs";
import { codeOf, StartError, wordsOf } from "./start-error.mjs";
import { until } from "./until.mjs";

/** How long an external server may take to answer, in ms. */
const answerWithinMs = 5_000;

/**
 * Checks that the database in DATABASE_URL answers and lets us in.
 * @param {string} url
 * @throws {StartError}
 */
export async function assertDatabaseAnswers(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerWithinMs });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT 1");
  } catch (error) {
    throw new StartError(
      `DATABASE_URL: the database at ${withoutPassword(url)} ${databaseRefusal(error)}; or unset it to use the embedded one.`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/** Source of the codes: PostgreSQL manual, appendix "PostgreSQL Error Codes". */
/** @param {unknown} error */
function databaseRefusal(error) {
  switch (codeOf(error)) {
    case "28P01":
    case "28000":
      return `does not let us in (${wordsOf(error)}): correct the user or password in it`;
    case "3D000":
      return `does not exist (${wordsOf(error)}): create it, or correct the name`;
    default:
      return `does not answer (${wordsOf(error)}): check the address and that the server runs`;
  }
}

/**
 * Checks that a NATS server answers, lets us in and has JetStream.
 * @param {string} url one address, or several with commas between
 * @throws {StartError}
 */
export async function assertNatsAnswers(url) {
  const shown = url
    .split(",")
    .map((one) => withoutPassword(one.trim()))
    .join(", ");
  try {
    const info = await natsInfo(url, answerWithinMs);
    if (info?.jetstream !== true)
      throw new StartError(
        `NATS_URL: the server at ${shown} has JetStream switched off: start it with -js; or unset NATS_URL to use the embedded one.`,
      );
  } catch (error) {
    if (error instanceof StartError) throw error;
    const refused = /authorization/i.test(wordsOf(error));
    const advice = refused
      ? "does not let us in: correct the user or password in it"
      : `does not answer (${wordsOf(error)}): check the address and that the server runs`;
    throw new StartError(`NATS_URL: the server at ${shown} ${advice}; or unset it to use the embedded one.`, {
      cause: error,
    });
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
