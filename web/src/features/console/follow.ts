import { limits } from "@web-tester/contracts/limits";

/** Measures of a scrolling element, in CSS pixels. */
export interface Scroll {
  scrollTop: number;
  clientHeight: number;
  scrollHeight: number;
}

/** Whether the view is so near to its bottom that it follows the newest line (specification §9). */
export const isAtBottom = ({ scrollTop, clientHeight, scrollHeight }: Scroll): boolean =>
  scrollHeight - clientHeight - scrollTop <= limits.consoleBottomTolerancePx;
