import { expect, test } from "@jest/globals";
import type { ArgumentsHost } from "@nestjs/common";
import { AppError } from "@web-tester/contracts/errors";
import { createLogger } from "@web-tester/platform/log/logger";
import type { GatewayOptions } from "../parts.js";
import { ErrorFilter } from "./error.filter.js";

const words = "The disk of the data directory (DATA_DIR) is full (0 MB free): free some space.";

/** What a client is told about an error while the disk is full, or is not. */
function told(error: unknown, fullDisk: string | null): { status: number; message: string } {
  const answers: { status: number; message: string }[] = [];
  const response = {
    headersSent: false,
    removeHeader: () => undefined,
    setHeader: () => undefined,
    status: () => ({ json: (body: (typeof answers)[number]) => void answers.push(body) }),
  };
  const request = { method: "GET", path: "/api/stats", headers: {}, complete: true };
  // safe casts: the filter uses no more of these
  const host = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }) } as unknown;
  const options = { fullDisk: () => fullDisk } as Partial<GatewayOptions> as GatewayOptions;
  new ErrorFilter(createLogger("test", "silent"), options).catch(error, host as ArgumentsHost);
  return answers[0] ?? { status: 0, message: "" };
}

test("a part that does not answer while the disk is full is told together with what to do about the disk", () => {
  const error = new AppError("unavailable", "The database does not answer. Check that PostgreSQL runs.");
  expect(told(error, words)).toMatchObject({ status: 503, message: `${words} ${error.message}` });
  expect(told(error, null)).toMatchObject({ status: 503, message: error.message });
});

test("other refusals say nothing of the disk, and one that names it does so once", () => {
  const missing = new AppError("not_found", "There is no such test object.");
  expect(told(missing, words)).toMatchObject({ status: 404, message: missing.message });
  const named = new AppError(
    "unavailable",
    "The disk of the database is full: free some space (could not extend file).",
  );
  expect(told(named, words)).toMatchObject({ status: 503, message: named.message });
});
