import { AppError } from "@web-tester/contracts/errors";
import { lackOfHandles } from "../lifecycle/lack-of-handles.js";
import { Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from "pg";
import { noTracer, type Tracer } from "../tracing/tracer.js";
import { createLostAnswers, endNow, type LostAnswers } from "./lost-answers.js";
import { createReplanner } from "./replan.js";
import { coalesceReads } from "../lifecycle/coalesce.js";
import { createStallClock } from "./stall-clock.js";
import { type Statement, toQuery } from "./statement.js";

/**
 * Runs one statement, and retries it when PostgreSQL aborted it because of a conflict with another transaction. Rows come back as the
 * driver parses them (timestamps as Date, bigint as string).
 */
export interface Queryable {
  query<Row extends QueryResultRow = QueryResultRow>(sql: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** The database as handlers see it. */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction, and retries it from the start when PostgreSQL aborted it because of a deadlock or a serialization
   * conflict. So `work` must change nothing but the database.
   * @param options `once`: no retry, because `work` waits for something other than the database while it holds locks, or is expensive
   */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>, options?: { once: boolean }): Promise<Result>;
  /** @throws AppError unavailable when the database does not answer. */
  check(): Promise<void>;
  /** Connections of the pool: in all, idle, and callers waiting for one. */
  poolStats(): { total: number; idle: number; waiting: number };
  /** Milliseconds so far in which some statement waited longer than a second for its answer; deadlines of other work should not count this time. */
  stalledMs(): number;
  /** Runs a request to the same server that goes past this pool, so that `stalledMs` counts its silence too. */
  watch<Result>(ask: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const maxTries = 5;
/** The server ends a transaction that sends no statement for so long, and frees its locks: it would not notice a process that was frozen or cut off. */
const silentTransaction = "60s";
/**
 * The planner settings that our statements were measured with. By default PostgreSQL JIT-compiles statements that it thinks costly, which
 * takes longer than running them, and costs a random read at four times a sequential one, as on a spinning disk. A value that an operator
 * has set for the server, the database or the user stays.
 */
const planning = `SELECT set_config(name, CASE name WHEN 'jit' THEN 'off' ELSE '1.1' END, false) FROM pg_settings
  WHERE name IN ('jit', 'random_page_cost') AND source = 'default'`;
/** serialization_failure, deadlock_detected */
const conflictCodes = new Set(["40001", "40P01"]);

/**
 * @param url postgres:// address
 * @param poolSize the most connections
 * @param patienceMs after which a connection whose statement has no answer is checked; shorter only in tests
 */
export function openDatabase(
  url: string,
  poolSize: number,
  onError: (error: Error) => void,
  tracer: Tracer = noTracer,
  patienceMs?: number,
): Database {
  const lost = createLostAnswers(url, onError, patienceMs);
  const pool = openPool(url, poolSize, onError, lost);
  const replan = createReplanner();
  const share = coalesceReads();
  const stall = createStallClock(isSilence);

  /** Runs `work` in a span of the trace, named after the statement's first word; values are left out. */
  function traced<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
    const attributes = { "db.system.name": "postgresql" };
    return tracer.span(`database ${step}`, { kind: "client", attributes, onlyWithin: true }, work);
  }

  function query<Row extends QueryResultRow>(sql: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    const once = () => withClient(pool, lost, (client) => queryOnce<Row>(client, sql, values));
    const ask = () => traced(firstWord(sql), () => untilDone(maxTries, () => stall.watch(once)));
    if (typeof sql === "string" || !sql.shared) return ask();
    return share(`${sql.name} ${JSON.stringify(values)}`, ask);
  }

  const queryOnce = async <Row extends QueryResultRow>(
    client: PoolClient,
    sql: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> => {
    if (typeof sql !== "string") await lost.ask(client, () => replan(client));
    return (await lost.ask(client, () => client.query<Row>(toQuery(sql, values)))).rows;
  };

  function transaction<Result>(work: (tx: Queryable) => Promise<Result>, { once } = { once: false }): Promise<Result> {
    const transact = async (client: PoolClient) => {
      await lost.ask(client, () => replan(client));
      return runTransaction((asked) => lost.ask(client, () => client.query(asked)), work, once);
    };
    return traced("TRANSACTION", () =>
      stall.watch(() => untilDone(once ? 1 : maxTries, () => withClient(pool, lost, transact))),
    );
  }

  return {
    query,
    transaction,
    check: async () => {
      await query("SELECT 1");
    },
    poolStats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    stalledMs: stall.stalledMs,
    watch: stall.watch,
    close: async () => {
      lost.close();
      await pool.end();
    },
  };
}

function openPool(url: string, max: number, onError: (error: Error) => void, lost: LostAnswers): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    application_name: "web-tester",
    // set by a statement, not as a startup parameter of the connection, which PgBouncer would refuse
    onConnect: (client): unknown =>
      lost.greet(client, `SET idle_in_transaction_session_timeout = '${silentTransaction}'; ${planning}`),
  });
  // an idle connection that breaks (server restart) is replaced by the pool; without a listener it would end the process
  pool.on("error", (error) => {
    // the driver attaches the whole client to the error, with the key that cancels its statements: that must not be logged
    Reflect.deleteProperty(error, "client");
    onError(error);
  });
  // a connection that breaks in use fails its statement and emits this event too, which without a listener would end the process
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Retries what PostgreSQL aborted because of a conflict with another transaction. @throws AppError unavailable for connection faults */
async function untilDone<Result>(tries: number, run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= tries || !conflictCodes.has(sqlState(error))) throw translate(error);
    }
  }
}

async function takeClient(pool: Pool, lost: LostAnswers): Promise<PoolClient> {
  for (;;) {
    const client = await pool.connect();
    if (!lost.isSuspect(client)) return client;
    endNow(client);
    client.release(true);
  }
}

/** Takes a connection of the pool for one piece of work; a connection that broke meanwhile is removed from the pool. */
async function withClient<Result>(
  pool: Pool,
  lost: LostAnswers,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await takeClient(pool, lost);
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(isBroken(error) ? (error as Error) : undefined);
    throw error;
  }
}

function firstWord(sql: Statement): string {
  return /[a-z]+/i.exec(typeof sql === "string" ? sql : sql.text)?.[0].toUpperCase() ?? "";
}

type Ask = <Row extends QueryResultRow>(query: string | QueryConfig<unknown[]>) => Promise<QueryResult<Row>>;

/** @param mayBeSilent whether the transaction may wait for something else while it holds locks, so that its idle timeout is switched off */
async function runTransaction<Result>(
  ask: Ask,
  work: (tx: Queryable) => Promise<Result>,
  mayBeSilent: boolean,
): Promise<Result> {
  const tx: Queryable = {
    query: async <Row extends QueryResultRow>(sql: Statement, values: readonly unknown[] = []) =>
      (await ask<Row>(toQuery(sql, values))).rows,
  };
  await ask(mayBeSilent ? "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0" : "BEGIN");
  try {
    const result = await work(tx);
    await ask("COMMIT");
    return result;
  } catch (error) {
    await ask("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

function sqlState(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

/**
 * Whether PostgreSQL refused a statement because of its values (data exceptions, broken constraints, limits of a row or an index,
 * exceptions raised by a trigger): the same values will be refused again.
 */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && /^(22|23|54|P0)[0-9A-Z]{3}$/.test(sqlState(error));
}

/**
 * Whether a connection must not be used again: connection exceptions, operator intervention (shutdown), silent transactions, a server that
 * only reads (after a failover the address may lead to another server), and errors below the protocol (socket codes, pool timeouts).
 */
function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  return !(error instanceof AppError) && (!/^[0-9A-Z]{5}$/.test(state) || /^(08|57P|25P03|25006)/.test(state));
}

/** What is wrong when the server is read-only, and what to check; a sentence without its full stop. */
export const readOnlyWords =
  "The database takes no changes, it is read-only: look whether DATABASE_URL leads to a standby, or default_transaction_read_only is on";

/** What to do about faults by SQLSTATE, for servers that answer: checking that PostgreSQL runs would be no help. */
const remedies: Record<string, string> = {
  "53100": "The disk of the database is full: free some space",
  "53200": "The database has no memory left: give PostgreSQL more",
  "25006": readOnlyWords,
  "53300": "The database takes no further connection: lower DATABASE_POOL, or raise max_connections of PostgreSQL",
  "57P03": "The database takes no connections yet: PostgreSQL is starting, stopping or recovering after a crash",
};

/** Says in words what is wrong with the database, as AppError unavailable; other errors stay as they are. */
export function translate(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !isConnectionFault(error)) return error;
  const remedy = remedies[sqlState(error)] ?? lackOfHandles(error);
  return new AppError(
    "unavailable",
    remedy === undefined
      ? `The database does not answer (${error.message}). Check that PostgreSQL runs and DATABASE_URL is right.`
      : `${remedy} (${error.message}).`,
    { cause: error },
  );
}

function isSilence(error: unknown): boolean {
  if (error instanceof AppError) return error.code === "unavailable";
  return error instanceof Error && isConnectionFault(error);
}

function isConnectionFault(error: Error): boolean {
  const state = sqlState(error);
  if (/^(08|57P|53|25P03|25006)/.test(state) || /^E[A-Z]+$/.test(state)) return true;
  return /connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/i.test(
    error.message,
  );
}
