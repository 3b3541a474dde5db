import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import type { FilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import { Chromium } from "./chromium.js";
import type { ChromiumProcess } from "./chromium-process.js";
import type { Tab } from "./tab.js";

/** The clock is the test's; the browser is a fake that is only told to end. */
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function start(idleMs: number, answers: () => Promise<unknown> = async () => undefined) {
  const browser = Object.assign(new EventEmitter(), { close: jest.fn(async () => undefined) });
  const onEnding = jest.fn();
  const running: ChromiumProcess = {
    browser: browser as unknown as Browser,
    isolation: { unsandboxed: null, asRoot: null },
    userAgent: "test",
    gone: new Promise<never>(() => undefined),
    asksForPasswords: false,
    memory: async () => [],
    answers,
    kill: jest.fn(),
  };
  const limits = { tabsMax: 2, processMaxBytes: 1, totalMaxBytes: 1, idleMs };
  const log = () => undefined;
  const chromium = new Chromium(running, { ...limits, proxy: {} as FilteringProxy, log, onEnding });
  return { chromium, browser, onEnding, kill: running.kill };
}

const emptyTab = (clean: () => Promise<boolean>, close: () => Promise<void> = async () => undefined): Tab =>
  ({
    owner: "one",
    clean,
    close,
    proxyListener: { close: async () => undefined },
  }) as unknown as Tab;

describe("a Chromium that nobody needs", () => {
  test("ends after a minute, and not a second before", async () => {
    const { browser, onEnding } = start(60_000);
    await jest.advanceTimersByTimeAsync(59_000);
    expect([onEnding.mock.calls.length, browser.close.mock.calls.length]).toEqual([0, 0]);
    await jest.advanceTimersByTimeAsync(2_000);
    expect([onEnding.mock.calls.length, browser.close.mock.calls.length]).toEqual([1, 1]);
  });

  test("counts its minute from the end of its last page", async () => {
    const { chromium, browser } = start(60_000);
    await jest.advanceTimersByTimeAsync(50_000);
    // a page was open in it all the time
    await chromium.giveBack(
      emptyTab(async () => true),
      true,
    );
    await jest.advanceTimersByTimeAsync(59_000);
    expect(browser.close).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(browser.close).toHaveBeenCalledTimes(1);
  });
});

describe("a tab that does not close at once", () => {
  const never = new Promise<void>(() => undefined);
  const spoilt = (close: () => Promise<void>) => emptyTab(async () => false, close);

  test("is waited for while Chromium answers, as on a busy machine", async () => {
    const { chromium, kill, onEnding } = start(60_000);
    const closing = new Promise<void>((resolve) => void setTimeout(resolve, 5_000));
    const given = chromium.giveBack(
      spoilt(() => closing),
      false,
    );
    await jest.advanceTimersByTimeAsync(6_000);
    await given;
    expect([jest.mocked(kill).mock.calls.length, onEnding.mock.calls.length]).toEqual([0, 0]);
  });

  test.each([
    ["answers nothing", () => never],
    ["goes on answering", async () => undefined],
  ])("ends a Chromium that %s, with the tab", async (_what, answers) => {
    const { chromium, kill } = start(60_000, answers);
    const given = chromium.giveBack(
      spoilt(() => never),
      false,
    );
    await jest.advanceTimersByTimeAsync(20_000);
    await given;
    expect(kill).toHaveBeenCalledTimes(1);
  });
});
