import { expect, test } from "@jest/globals";
import { requireSessions, type Session } from "./require-sessions.js";

/** A connection of the server, with the value set in its session, and whether a transaction has it now. */
interface Backend {
  value: string | null;
  isBusy: boolean;
}

/**
 * Simulates connections through a pooler with this `pool_mode`.
 * @param choose which of the free connections the next transaction gets
 */
function pooler(mode: "session" | "transaction", size: number, choose: "latest" | "in turn") {
  const backends: Backend[] = Array.from({ length: size }, () => ({ value: null, isBusy: false }));
  let turn = 0;
  const free = async (): Promise<Backend> => {
    for (;;) {
      const order = choose === "latest" ? backends : [...backends.slice(turn), ...backends.slice(0, turn)];
      const found = order.find(({ isBusy }) => !isBusy);
      if (found !== undefined) {
        turn = (backends.indexOf(found) + 1) % size;
        return found;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return async (): Promise<Session> => {
    const own: Backend = { value: null, isBusy: true };
    let held: Backend | null = mode === "session" ? own : null;
    return {
      async query(sql, values = []) {
        const backend = held ?? (await free());
        if (mode === "transaction" && sql === "BEGIN") {
          held = backend;
          backend.isBusy = true;
        }
        if (mode === "transaction" && sql === "ROLLBACK") {
          held = null;
          backend.isBusy = false;
        }
        if (sql.includes("set_config")) backend.value = String(values[0]);
        return [{ value: backend.value }];
      },
      end: async () => undefined,
    };
  };
}

test.each([
  ["its own connection, or a pooler that keeps sessions", "session", 1, "latest", "nothing"],
  ["a pooler with several connections, the latest first", "transaction", 4, "latest", "pool_mode = session"],
  ["a pooler with several connections, in turn", "transaction", 4, "in turn", "pool_mode = session"],
  ["a pooler with one connection", "transaction", 1, "latest", "pool_mode = session"],
] as const)("%s", async (_what, mode, size, choose, words) => {
  const said = await requireSessions(pooler(mode, size, choose)).then(
    () => "nothing",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  expect(said).toContain(words);
});
