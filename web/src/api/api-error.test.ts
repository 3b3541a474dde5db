import { expect, test } from "@jest/globals";
import { ApiError, isNotFound, mayHelpAgain, messageOf, readError } from "./api-error.js";

test.each([
  [0, true],
  [400, false],
  [404, false],
  [408, true],
  [422, false],
  [429, true],
  [500, true],
  [503, true],
])("whether asking again may help after %s: %s", (status, may) => {
  expect(mayHelpAgain(readError(status, "", ""))).toBe(may);
});

test("our own error body gives its words and its code", () => {
  const error = readError(
    409,
    "Conflict",
    JSON.stringify({ status: 409, code: "conflict", message: "A crawl is running." }),
  );
  expect(error.message).toBe("HTTP 409: A crawl is running.");
  expect(error.code).toBe("conflict");
});

test.each([
  ["plain text", "upstream timed out", "HTTP 504: upstream timed out"],
  ["a proxy's page", "<html><body>Gateway Time-out</body></html>", "HTTP 504: Gateway Time-out"],
  ["nothing", "", "HTTP 504: Gateway Time-out"],
  ["JSON of another shape", '{"oops":1}', 'HTTP 504: {"oops":1}'],
])("%s", (_, body, message) => expect(readError(504, "Gateway Time-out", body).message).toBe(message));

test("of a server that does not answer the words alone are told: there is no status", () => {
  expect(new ApiError(0, "unreachable", "The server did not answer.").message).toBe("The server did not answer.");
});

test("an unknown id and a malformed one both mean not found", () => {
  expect(isNotFound(readError(404, "Not Found", ""))).toBe(true);
  expect(
    isNotFound(readError(400, "Bad Request", JSON.stringify({ status: 400, code: "invalid_input", message: "id" }))),
  ).toBe(true);
  expect(isNotFound(readError(500, "", ""))).toBe(false);
  expect(isNotFound(new Error("offline"))).toBe(false);
});

test("anything thrown has words", () => {
  expect(messageOf(new Error("a"))).toBe("a");
  expect(messageOf("b")).toBe("b");
});
