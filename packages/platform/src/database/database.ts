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
 * Runs one statement, and repeats it where PostgreSQL ended it because of a conflict with another. Rows come back as
 * the driver parses them (timestamps as Date, bigint as string).
 */
export interface Queryable {
  query<Row extends QueryResultRow = QueryResultRow>(sql: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** The database as handlers see it. */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction, and repeats it from the start where PostgreSQL ended it because of a deadlock or a
   * serialization conflict. So `work` must change nothing but the database.
   * @param options `once`: do not repeat it, because it asks something else while it holds locks, or costs much
   */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>, options?: { once: boolean }): Promise<Result>;
  /** @throws AppError unavailable when the database does not answer. */
  check(): Promise<void>;
  /** Connections: in all, idle, and callers waiting for one. */
  poolStats(): { total: number; idle: number; waiting: number };
  /** Milliseconds so far in which something that it was asked waited for longer than a second: no deadline of work for others should count them. */
  stalledMs(): number;
  /** Runs what asks the same server beside this, so that `stalledMs` knows of its silence too. */
  watch<Result>(ask: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const maxTries = 5;
/** Nothing tells the server of a process that was frozen or cut off in a transaction: it ends one that asks nothing for so long, and its locks with it. */
const silentTransaction = "60s";
/**
 * What our statements were measured with. PostgreSQL compiles those that it thinks costly, which takes longer than they do, and counts a row that an
 * index finds as four of a disk that turns. What an operator has set for the server, the database or the user stays.
 */
const planning = `SELECT set_config(name, CASE name WHEN 'jit' THEN 'off' ELSE '1.1' END, false) FROM pg_settings
  WHERE name IN ('jit', 'random_page_cost') AND source = 'default'`;
/** serialization_failure, deadlock_detected */
const conflictCodes = new Set(["40001", "40P01"]);

/**
 * @param url postgres:// address
 * @param poolSize connections at most
 * @param patienceMs after which a connection that leaves a question without an answer is looked into; shorter only in tests
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

  /** A span of the trace, named by what the statement does; its values are left out. */
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
    // not among the connection's own settings, which PgBouncer would refuse
    onConnect: (client): unknown =>
      lost.greet(client, `SET idle_in_transaction_session_timeout = '${silentTransaction}'; ${planning}`),
  });
  // an idle connection that breaks (server restart) is replaced by the pool; without a listener it would end the process
  pool.on("error", (error) => {
    // the pool hangs the whole connection on it, with the key that cancels its statements: nothing for a log
    Reflect.deleteProperty(error, "client");
    onError(error);
  });
  // one that breaks in use tells so by the statement under way, and by this event, which without a listener would end the process too
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Repeats what PostgreSQL ended because of a conflict with another. @throws what a person can act on, where it knows a sentence */
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

/** Takes a connection of the pool for one piece of work; one that broke meanwhile is not given back. */
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

/** @param mayBeSilent whether it waits for something else while it holds locks */
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
 * Whether Postgres refused a statement for the values it was given (data exceptions, broken constraints, limits of a row or an index,
 * exceptions raised by a trigger): the same values will be refused again.
 */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && /^(22|23|54|P0)[0-9A-Z]{3}$/.test(sqlState(error));
}

/**
 * Connection exceptions, operator intervention (shutdown), silent transactions, a server that only reads (after a failover another one may
 * stand behind the address), and errors below the protocol (socket codes, pool time-outs).
 */
function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  return !(error instanceof AppError) && (!/^[0-9A-Z]{5}$/.test(state) || /^(08|57P|25P03|25006)/.test(state));
}

/** What is wrong with a server that only reads, and what to look at; a sentence without its point. */
export const readOnlyWords =
  "The database takes no changes, it is read-only: look whether DATABASE_URL leads to a standby, or default_transaction_read_only is on";

/** What it answers where it lacks something: that it runs need not be checked. */
const remedies: Record<string, string> = {
  "53100": "The disk of the database is full: free some space",
  "53200": "The database has no memory left: give PostgreSQL more",
  "25006": readOnlyWords,
  "53300": "The database takes no further connection: lower DATABASE_POOL, or raise max_connections of PostgreSQL",
};

function translate(error: unknown): unknown {
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
  return /connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/i.test(
    error.message,
  );
}
