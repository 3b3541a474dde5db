import { AppError } from "@web-tester/contracts/errors";
import { expect, test } from "@jest/globals";
import { createPatientAsk } from "./patient-ask.js";

const away = () => new AppError("unavailable", "Nobody answers.");

test("asks again while nobody answers", async () => {
  const answers: unknown[] = [away(), "here"];
  const ask = createPatientAsk(
    {
      ask: async () => {
        const next = answers.shift();
        if (next instanceof Error) throw next;
        return next;
      },
    },
    new AbortController().signal,
  );
  expect(await ask("ask.any", {}, 1)).toBe("here");
});

test("what an answer refuses is not asked again, and nothing is while the process ends", async () => {
  let asked = 0;
  const failing = (error: Error) => ({
    ask: async () => {
      asked += 1;
      throw error;
    },
  });
  const refused = createPatientAsk(
    failing(new AppError("content_missing", "It is lost.")),
    new AbortController().signal,
  );
  await expect(refused("ask.any", {}, 1)).rejects.toThrow("It is lost.");
  await expect(createPatientAsk(failing(away()), AbortSignal.abort())("ask.any", {}, 1)).rejects.toThrow("Nobody");
  expect(asked).toBe(2);
});
