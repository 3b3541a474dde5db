import type { FilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import { type ChromiumProcess, residentTogether } from "./chromium-process.js";
import type { Visitor } from "./visitor.js";
import { openTab, type Tab, within } from "./tab.js";

export interface ChromiumOptions {
  proxy: FilteringProxy;
  /** The most tabs open at once. */
  tabsMax: number;
  /** The resident bytes of one process above which it is killed, with the tab that it draws. */
  processMaxBytes: number;
  /** The resident bytes of all processes together above which Chromium ends with its last page. */
  totalMaxBytes: number;
  /** The time without a page after which it ends. */
  idleMs: number;
  log(message: string): void;
  /** Called when it takes no further pages. */
  onEnding(): void;
}

const closeTabMs = 1_500;
/** How long Chromium may take for a question that is no work … */
const answerMs = 10_000;
/** … and how often it may answer while a tab stays open. On a busy machine nothing closes soon, but what works answers. */
const answersMax = 5;
const lookEveryMs = 1_000;

/** One running Chromium with its tabs, which ends by itself when it uses too much memory or nobody needs it. */
export class Chromium {
  #idle: Tab[] = [];
  /** The number of tabs that are open or being opened. */
  #tabs = 0;
  #isEnding = false;
  #idleSince = performance.now();
  #isLooking = false;

  constructor(
    readonly running: ChromiumProcess,
    private readonly options: ChromiumOptions,
  ) {
    const watch = setInterval(() => void this.#look(), lookEveryMs);
    watch.unref();
    running.browser.once("disconnected", () => {
      clearInterval(watch);
      this.retire();
      running.kill(); // its remaining processes
    });
  }

  /** Whether it has no tab, and none is being opened. */
  get isUnused(): boolean {
    return this.#tabs === 0;
  }

  /** Returns an empty tab: one that was emptied is reused for the same owner only. */
  async takeTab(owner: string, visitor: Visitor): Promise<Tab> {
    const { proxy, tabsMax } = this.options;
    const at = this.#idle.findIndex((tab) => tab.owner === owner);
    const [own] = at === -1 ? [] : this.#idle.splice(at, 1);
    if (own !== undefined) return own;
    const [spare] = this.#tabs >= tabsMax ? this.#idle.splice(0, 1) : [];
    if (spare !== undefined) await this.#discard(spare);
    this.#tabs += 1;
    try {
      return await openTab(owner, visitor, this.running, proxy);
    } catch (error) {
      this.#tabs -= 1;
      throw error;
    }
  }

  /** Empties a tab, or closes it where emptying fails or it is not to be reused. @param isWell whether it may be used again */
  async giveBack(tab: Tab, isWell: boolean): Promise<void> {
    const isClean = isWell && !this.#isEnding && (await tab.clean());
    if (isClean && !this.#isEnding) this.#idle.push(tab);
    else await this.#discard(tab);
    this.#idleSince = performance.now();
    await this.#endIfIdle();
  }

  /** Lets it take no new pages; it ends with its last one. */
  retire(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.options.onEnding();
    void this.#endIfIdle();
  }

  /** Ends it with every page in it. */
  async end(): Promise<void> {
    this.retire();
    await within(closeTabMs, this.running.browser.close());
    this.running.kill();
  }

  get #hasPages(): boolean {
    return this.#tabs > this.#idle.length;
  }

  async #endIfIdle(): Promise<void> {
    if (!this.#isEnding || this.#hasPages) return;
    await Promise.all(this.#idle.splice(0).map((tab) => tab.proxyListener.close()));
    if (!(await within(closeTabMs, this.running.browser.close()))) this.running.kill();
  }

  /** Closes a tab. Where Chromium answers nothing meanwhile, or goes on answering and the tab stays, it is killed with the tab. */
  async #discard(tab: Tab): Promise<void> {
    this.#tabs -= 1;
    const closed = tab.close();
    for (let answers = 0; answers <= answersMax; answers += 1) {
      if (await within(closeTabMs, closed)) return;
      if (!(await within(answerMs, this.running.answers()))) break;
    }
    this.options.log("Chromium is ended: a tab of it could not be closed");
    this.retire();
    this.running.kill();
  }

  async #look(): Promise<void> {
    // the check takes longer than a second where the machine is busy
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#boundMemory();
      if (!this.#hasPages && performance.now() - this.#idleSince >= this.options.idleMs) this.retire();
    } finally {
      this.#isLooking = false;
    }
  }

  async #boundMemory(): Promise<void> {
    const { processMaxBytes, totalMaxBytes, log } = this.options;
    const processes = await this.running.memory().catch(() => []);
    for (const { pid, type, bytes } of processes) {
      if (bytes <= processMaxBytes || type === "browser") continue;
      log(`A ${type} process of Chromium was ended: it held ${Math.round(bytes / 1024 ** 2)} MiB`);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // it ended meanwhile
      }
    }
    const total = residentTogether(processes);
    if (total <= totalMaxBytes || this.#isEnding) return;
    log(`Chromium is started anew: it holds ${Math.round(total / 1024 ** 2)} MiB`);
    this.retire();
  }
}
