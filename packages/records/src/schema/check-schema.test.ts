import { describe, expect, test } from "@jest/globals";
import { checkSchema, newestMigration } from "./check-schema.js";
import { migrationNames } from "./migrations.js";

const answering = (rows: readonly unknown[] | Error) => ({
  query: async <Row>() => {
    if (rows instanceof Error) throw rows;
    return rows as Row[];
  },
});

describe("checkSchema", () => {
  test("asks for the newest migration", () => expect(newestMigration).toBe(migrationNames.at(-1)));

  test("is content with a database that has it", async () => {
    await expect(checkSchema(answering([{}]))).resolves.toBeUndefined();
  });

  test.each([
    ["lacks it", []],
    ["has no migration at all", Object.assign(new Error("no such table"), { code: "42P01" })],
  ])("says what to do where a database %s", async (_, rows) => {
    await expect(checkSchema(answering(rows))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/Apply the migrations/),
    });
  });

  test("leaves other faults as they are", async () => {
    await expect(checkSchema(answering(new Error("away")))).rejects.toThrow("away");
  });
});
