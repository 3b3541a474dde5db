import { describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { untilStopped } from "./until-stopped.js";

/** A handler that fails with `failure` as soon as it is asked. */
const failing = (failure: Error) => ({
  name: "thumbnail" as const,
  concurrency: 1,
  answer: () => Promise.reject(failure),
});

/** What a question to `failure`'s handler gives while the service runs, or after it was told to stop. */
async function failureOf(failure: Error, stopped: boolean): Promise<unknown> {
  const stopping = new AbortController();
  const [guarded] = untilStopped(stopping.signal, [failing(failure)]);
  if (stopped) stopping.abort();
  return guarded?.answer({}).catch((error: unknown) => error);
}

describe("questions that a stopping service breaks off", () => {
  const broken = new DOMException("This operation was aborted", "AbortError");

  test("are to be asked again", async () => {
    expect(await failureOf(broken, true)).toMatchObject({ code: "unavailable", cause: broken });
  });

  test("fail as they do where the service is not being stopped", async () => {
    expect(await failureOf(broken, false)).toBe(broken);
  });

  test("keep an error that says what to do", async () => {
    const told = new AppError("not_found", "The snapshot is not there.");
    expect(await failureOf(told, true)).toBe(told);
  });

  test("are answered where they are still finished", async () => {
    const stopping = new AbortController();
    stopping.abort();
    const handler = { name: "thumbnail" as const, concurrency: 1, answer: () => Promise.resolve("drawn") };
    expect(await untilStopped(stopping.signal, [handler])[0]?.answer({})).toBe("drawn");
  });
});
