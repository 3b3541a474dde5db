import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { withSecretFiles } from "./secret-files.js";

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "web-tester-secrets-"));
  file = join(folder, "key");
  writeFileSync(file, "from-the-file\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("takes a secret from the file that is named instead of it", () => {
  expect(withSecretFiles({ SECRET_KEY_FILE: file })).toMatchObject({ SECRET_KEY: "from-the-file" });
  expect(withSecretFiles({ SECRET_KEY_FILE: file, SECRET_KEY: "" })).toMatchObject({ SECRET_KEY: "from-the-file" });
});

test("leaves a variable that is set, and one that is no secret", () => {
  expect(withSecretFiles({ SECRET_KEY_FILE: file, SECRET_KEY: "own" })).toMatchObject({ SECRET_KEY: "own" });
  expect(withSecretFiles({ LOG_LEVEL_FILE: file })).toEqual({ LOG_LEVEL_FILE: file });
});

test("names a file that cannot be read, and not what is in others", () => {
  expect(() => withSecretFiles({ API_TOKEN_FILE: join(folder, "nothing") })).toThrow(
    "API_TOKEN_FILE names a file that cannot be read: write its path, or set API_TOKEN.",
  );
});
