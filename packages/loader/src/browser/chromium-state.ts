import { ageProblem, describeAge } from "./chromium-age.js";
import { type ChromiumProcess, describeIsolation, type Isolation } from "./chromium-process.js";

/** What is known of the browser since it was last started. */
export interface BrowserState {
  version: string;
  isolation: Isolation;
  /** In one sentence: version, age, sandbox, user. */
  words: string;
  /** A sentence on why it should be replaced; null where it is new enough. */
  ageProblem: string | null;
}

export function stateOf({ browser, isolation }: ChromiumProcess): BrowserState {
  const version = browser.version();
  const now = new Date();
  const words = `Chromium ${version} (${describeAge(version, now)}) runs ${describeIsolation(isolation)}.`;
  return { version, isolation, words, ageProblem: ageProblem(version, now) };
}

/** Returns the warnings about it for an operator. */
export function warningsOf({ isolation, words, ageProblem: age }: BrowserState): string[] {
  return [
    ...(isolation.unsandboxed === null
      ? []
      : [
          `${words} A page that breaks out of it can do what that user can: see CHROMIUM_SANDBOX in the operator's guide`,
        ]),
    ...(age === null ? [] : [age]),
  ];
}
