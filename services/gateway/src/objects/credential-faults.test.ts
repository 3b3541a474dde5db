import { expect, test } from "@jest/globals";
import type { AuthType } from "@web-tester/contracts/entities/vocabulary";
import { credentialFaults } from "./credential-faults.js";

type Given = [enabled: boolean, type: AuthType, username: string, secret: string | undefined];
const pathsOf = (...[enabled, type, username, secret]: Given) =>
  credentialFaults({ enabled, type, username, secret }).map(({ path }) => path);

test.each<Given>([
  [true, "basic", "anna", "päss\n:word"],
  [true, "basic", "", ""],
  [true, "bearer", "left:over", "token-1"],
  [true, "header", "X-Site-Key", "a b\tc"],
  [true, "header", "", undefined],
  // switched off: nothing is sent
  [false, "header", "X Key", undefined],
])("%j: %s %j %j can be sent", (...given) => {
  expect(pathsOf(...given)).toEqual([]);
});

test.each<[Given, string[]]>([
  [[true, "basic", "an:na", "p"], ["body.auth_username"]],
  [[true, "header", "X-Key:", "v"], ["body.auth_username"]],
  [[true, "header", "Schlüssel", "v"], ["body.auth_username"]],
  [[true, "header", "Host", "v"], ["body.auth_username"]],
  [[true, "header", "X-Key", "v\r\nX-Other: 1"], ["body.auth_password"]],
  [[true, "bearer", "", "token\u200b"], ["body.auth_password"]],
  [[false, "bearer", "", "token\n"], ["body.auth_password"]],
  [
    [true, "header", "X Key", "☃"],
    ["body.auth_username", "body.auth_password"],
  ],
])("%j cannot", (given, paths) => {
  expect(pathsOf(...given)).toEqual(paths);
});
