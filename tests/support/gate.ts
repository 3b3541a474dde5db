import type { Page } from "./site.js";

/** A turnstile in front of a site's pages: lets some answers through and holds the rest back. */
export interface Gate {
  /** Wraps a page so that its answers pass the gate. */
  behind(page: string): Page;
  /** From now on lets `count` answers through and holds those after them. */
  holdAfter(count: number): void;
  /** Lets everything through, also what is held. */
  open(): void;
  /** Answers held at present. */
  held(): number;
}

export function createGate(): Gate {
  let left = Infinity;
  let waiting: (() => void)[] = [];
  return {
    behind: (page) => (_request, response) => {
      const answer = () => void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
      if (left > 0) {
        left--;
        answer();
      } else waiting.push(answer);
    },
    holdAfter(count) {
      left = count;
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
