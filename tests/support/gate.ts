import type { Page } from "./site.js";

/** A gate in front of a site's pages: lets some answers through and holds back the rest. */
export interface Gate {
  /** Wraps a page so that its answers have to pass the gate. */
  behind(page: string): Page;
  /** From now on lets the answers of `count` pages through, however often they are requested, and holds those of others. */
  holdAfter(count: number): void;
  /** Lets everything through, also held answers. */
  open(): void;
  /** The number of answers held at present. */
  held(): number;
}

export function createGate(): Gate {
  let left = Infinity;
  let waiting: (() => void)[] = [];
  let passed = new Set<Page>();
  return {
    behind(page) {
      const send: Page = (_request, response) => {
        const answer = () => void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
        // a page is requested again when a browser is to try it, or after a lost connection
        if (passed.has(send)) return answer();
        if (left > 0) {
          left--;
          passed.add(send);
          answer();
        } else waiting.push(answer);
      };
      return send;
    },
    holdAfter(count) {
      left = count;
      passed = new Set();
    },
    open() {
      left = Infinity;
      const held = waiting;
      waiting = [];
      for (const answer of held) answer();
    },
    held: () => waiting.length,
  };
}
