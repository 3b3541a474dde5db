import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createSecretBox } from "./secret-box.js";

const box = createSecretBox(randomBytes(32));

test("opens what it sealed, whatever the text and the context", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, context) => {
      expect(box.open(box.seal(text, context), context)).toBe(text);
    }),
  );
});

test("seals the same text differently each time and shows nothing of it", () => {
  const one = box.seal("correct horse battery staple", "object 1");
  const two = box.seal("correct horse battery staple", "object 1");
  expect(one.equals(two)).toBe(false);
  expect(one.includes("horse")).toBe(false);
  expect(one[0]).toBe(1);
});

describe("does not open", () => {
  const sealed = box.seal("a password", "object 1");
  const refused = expect.objectContaining({
    code: "internal",
    retryable: false,
    message: expect.stringContaining("SECRET_KEY"),
  });

  test("what another key sealed", () => {
    expect(() => createSecretBox(randomBytes(32)).open(sealed, "object 1")).toThrow(refused);
  });

  test("what was sealed for another object", () => {
    expect(() => box.open(sealed, "object 2")).toThrow(refused);
    expect(box.open(sealed, "object 1")).toBe("a password");
  });

  test("what was changed in any byte", () => {
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => box.open(changed, "object 1")).toThrow(refused);
    }
  });

  test("what was cut off anywhere", () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(() => box.open(sealed.subarray(0, length), "object 1")).toThrow(refused);
    }
  });
});

test.each([0, 16, 31, 33, 64])("refuses a key of %i bytes", (length) => {
  expect(() => createSecretBox(Buffer.alloc(length))).toThrow(
    expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(`${length} bytes`) }),
  );
});
