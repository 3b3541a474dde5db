import { AppError, errorCodes, type ErrorCode } from "@web-tester/contracts/errors";
import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import type { Tracer } from "../tracing/tracer.js";
import type { Bus } from "./bus.js";
import { createSlots } from "./slots.js";
import { carried, readJson } from "./wire.js";

/** An answer on the wire: the value, or the error as code and message. */
type Answer = { ok: true; value: unknown } | { ok: false; code: string; message: string };

/** Questions by request and reply: nothing is stored, and the caller waits for the answer. */
export function questionsOver(
  connection: NatsConnection,
  tracer: Tracer,
  onError: (message: string, error: unknown) => void,
): Pick<Bus, "ask" | "answer"> {
  return {
    ask: (subject, request, timeoutMs) =>
      tracer.span(`ask ${subject}`, { kind: "client", onlyWithin: true }, () =>
        ask(connection, subject, request, timeoutMs, carried(tracer)),
      ),
    answer(subject, concurrency, handle) {
      const slots = createSlots(concurrency);
      const respond = async (message: Msg) => {
        const release = await slots.take();
        const answered = await answerTo(message, subject, handle, tracer, onError).finally(release);
        message.respond(JSON.stringify(answered));
      };
      const subscription = connection.subscribe(subject, {
        queue: subject,
        callback: (error, message) => {
          if (error === null) void respond(message);
        },
      });
      return () => subscription.drain();
    },
  };
}

async function ask(
  connection: NatsConnection,
  subject: string,
  request: unknown,
  timeoutMs: number,
  trace: { headers: MsgHdrs } | undefined,
): Promise<unknown> {
  let reply: Msg;
  try {
    reply = await connection.request(subject, JSON.stringify(request), { timeout: timeoutMs, ...trace });
  } catch (error) {
    throw new AppError("unavailable", "The service that was asked did not answer in time. Try again in a moment.", {
      cause: error,
    });
  }
  const answered = readJson(reply) as Answer;
  if (answered.ok) return answered.value;
  throw new AppError(isErrorCode(answered.code) ? answered.code : "internal", answered.message);
}

function isErrorCode(code: string): code is ErrorCode {
  return code in errorCodes;
}

async function answerTo(
  message: Msg,
  subject: string,
  handle: (request: unknown) => Promise<unknown>,
  tracer: Tracer,
  onError: (message: string, error: unknown) => void,
): Promise<Answer> {
  try {
    const value = await tracer.span(
      `answer ${subject}`,
      { kind: "server", carried: { get: (name) => message.headers?.get(name) || undefined } },
      () => handle(readJson(message)),
    );
    return { ok: true, value };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, code: error.code, message: error.message };
    onError(`answering ${subject} failed`, error);
    return {
      ok: false,
      code: "internal",
      message: "Answering failed. The log of the service that was asked says why.",
    };
  }
}
