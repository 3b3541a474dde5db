import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "@jest/globals";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { findNatsServer } from "./nats.mjs";
import { watchNats } from "./nats-watch.mjs";
import { freePorts } from "./ports.mjs";
import { until } from "./until.mjs";

const timing = { hangsForMs: 300, answerWithinMs: 500, everyMs: 50 };
let server: ChildProcess | undefined;
let connection: NatsConnection | undefined;
let watch: ReturnType<typeof watchNats> | undefined;
let restarts = 0;

afterEach(async () => {
  await watch?.stop();
  if (server?.exitCode === null && server.signalCode === null) {
    server.kill("SIGKILL");
    await once(server, "exit");
  }
  // not awaited: after its server has ended it would go on connecting forever
  void connection?.close();
});

/** Starts a server without streams of its own; a client answers for them, or does not. */
async function begin(): Promise<{ answers(whether: boolean): void; asked(): number }> {
  const [port = 0] = await freePorts(1);
  const url = `nats://one:two@127.0.0.1:${port}`;
  server = spawn(
    await findNatsServer(process.env),
    ["-a", "127.0.0.1", "-p", `${port}`, "--user", "one", "--pass", "two"],
    {
      stdio: "ignore",
    },
  );
  connection = await connect({
    servers: `127.0.0.1:${port}`,
    user: "one",
    pass: "two",
    waitOnFirstConnect: true,
    reconnect: false,
  });
  let isAnswering = true;
  let asked = 0;
  connection.subscribe("$JS.API.STREAM.>", {
    callback(error, message) {
      asked += 1;
      if (error === null && isAnswering) message.respond('{"error":{"code":404}}');
    },
  });
  await connection.flush();
  restarts = 0;
  watch = watchNats(url, { restart: () => restarts++, log: () => undefined, timing });
  return { answers: (whether) => void (isAnswering = whether), asked: () => asked };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const restarted = (times: number) =>
  until(() => (restarts >= times ? true : undefined), { timeoutMs: 20_000, everyMs: 20 });

test("a server whose streams answer with whatever is left alone; where they hang it is started again, and only then", async () => {
  const streams = await begin();
  await pause(600);
  expect(restarts).toBe(0);
  streams.answers(false);
  expect(await restarted(1)).toBe(true);
  // a restart must not lead to another one at once
  streams.answers(true);
  const before = restarts;
  await pause(600);
  expect(restarts - before).toBeLessThanOrEqual(1);
});

test("a question that was late because this process did not run is no reason to start it again", async () => {
  const streams = await begin();
  streams.answers(false);
  const before = streams.asked();
  await until(() => (streams.asked() > before ? true : undefined), { timeoutMs: 20_000, everyMs: 1 });
  // longer than a stream may hang, without a turn of the event loop in which an answer could arrive
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  streams.answers(true);
  await pause(600);
  expect(restarts).toBe(0);
});

test("a server that is frozen as a whole, or away, is not started again", async () => {
  await begin();
  server?.kill("SIGSTOP");
  await pause(2_500);
  expect(restarts).toBe(0);
  server?.kill("SIGKILL");
  await pause(500);
  expect(restarts).toBe(0);
});
