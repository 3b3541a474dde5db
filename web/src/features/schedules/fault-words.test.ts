import { afterEach, expect, test } from "@jest/globals";
import { codedFault } from "@web-tester/contracts/faults";
import { ApiError } from "../../api/api-error.js";
import { chooseLanguage } from "../../texts/language.js";
import { faultWords } from "./fault-words.js";

Object.assign(globalThis, {
  document: { documentElement: { lang: "" } },
  localStorage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
});

afterEach(() => chooseLanguage("en"));

const refused = (details: unknown) => new ApiError(400, "invalid_input", "time.cron: The hour …", details);
const details = [{ path: "body.time.cron", ...codedFault("cron_hour", { value: "25" }) }];

test("a fault of a schedule is said in the reader's language, without the status and the name of the field", async () => {
  expect(faultWords(refused(details))).toMatch(/^The hour \(field 2 of 5\) cannot be “25”: .* from 0 to 23/);
  await chooseLanguage("de");
  expect(faultWords(refused(details))).toMatch(/^Die Stunde \(Feld 2 von 5\) kann nicht „25“ sein: .* von 0 bis 23/);
  expect(refused(details).message).toMatch(/^HTTP 400: Die Stunde/);
});

test.each([[undefined], [[]], [[{ path: "body.path", message: "is missing" }]], [{ runId: "x" }]])(
  "an error with the details %j is said as it is",
  (other) => expect(faultWords(refused(other))).toBe("HTTP 400: time.cron: The hour …"),
);
