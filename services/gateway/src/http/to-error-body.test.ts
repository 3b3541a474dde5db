import { expect, test } from "@jest/globals";
import { HttpException, NotFoundException } from "@nestjs/common";
import { AppError } from "@web-tester/contracts/errors";
import { toErrorBody } from "./to-error-body.js";

const what = "GET /api/x";

test("our own errors keep their code, message and details", () => {
  const { body, unexpected } = toErrorBody(new AppError("conflict", "It runs.", { details: [1] }), what);
  expect(body).toEqual({ status: 409, code: "conflict", message: "It runs.", details: [1] });
  expect(unexpected).toBeNull();
  expect(toErrorBody(new AppError("not_found", "Gone."), what).body).toEqual({
    status: 404,
    code: "not_found",
    message: "Gone.",
  });
});

test.each([
  [new NotFoundException("Cannot GET /api/x"), 404, "route_not_found"],
  [new URIError("URI malformed"), 400, "invalid_input"],
  [Object.assign(new Error("Failed to decode param"), { status: 400 }), 400, "invalid_input"],
  [new HttpException("too big", 413), 413, "payload_too_large"],
])("%s", (error, status, code) => {
  expect(toErrorBody(error, what).body).toMatchObject({
    status,
    code,
    message: expect.stringContaining(status === 413 ? "too large" : what),
  });
});

test("a path that is known with other methods says which", () => {
  const refused = toErrorBody(new NotFoundException("Cannot PUT /api/x"), "PUT /api/x", ["GET", "HEAD"]);
  expect(refused.body).toMatchObject({ status: 405, code: "method_not_allowed" });
  expect(refused.body.message).toContain("PUT /api/x, only GET, HEAD");
  // the path and its method are right, but the thing does not exist
  expect(toErrorBody(new AppError("not_found", "Gone."), what, ["GET"]).body.status).toBe(404);
});

test.each([
  [new Error("secret: postgres://u:p@host")],
  [new TypeError("x is not a function")],
  ["a text"],
  [undefined],
  [{ status: "400" }],
])("what nobody expected says a reference and nothing else: %s", (error) => {
  const { body, unexpected } = toErrorBody(error, what);
  expect(body).toMatchObject({ status: 500, code: "internal" });
  expect(unexpected?.reference).toMatch(/^[0-9a-f]{8}$/);
  expect(body.message).toContain(unexpected?.reference);
  expect(JSON.stringify(body)).not.toMatch(/postgres|function|a text/);
});
