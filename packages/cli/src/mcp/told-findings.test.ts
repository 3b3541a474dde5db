import { expect, test } from "@jest/globals";
import type { Finding } from "../check/findings.js";
import { toldFindings } from "./told-findings.js";

const finding = (title: string, waits: boolean): Finding => ({
  ...{ kind: "new", of: "page", pages: 1, details: "", link: "", said: null },
  ...{ title, waits },
});

test("an assistant is told fifty findings, those that wait first", () => {
  const accepted = Array.from({ length: 5_000 }, (_, index) => finding(`/p${index}`, false));
  const told = toldFindings([...accepted, finding("/waits", true)]);
  expect([told.findings.length, told.findings[0]?.title, told.more]).toEqual([50, "/waits", true]);
  expect(toldFindings([finding("/one", true)])).toEqual({ findings: [finding("/one", true)], more: false });
});
