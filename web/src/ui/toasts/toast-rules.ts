import { limits } from "@web-tester/contracts/limits";

export type ToastType = "success" | "error" | "warning" | "info";
export interface Toast {
  readonly type: ToastType;
  readonly message: string;
  /** Milliseconds until it leaves by itself. */
  readonly durationMs?: number;
}

/** What the rules remember: when each toast was last shown, and which are on screen now (keys of `toastKey`). */
export interface ToastMemory {
  readonly shownAt: ReadonlyMap<string, number>;
  readonly onScreen: readonly string[];
}

export const emptyToastMemory: ToastMemory = { shownAt: new Map(), onScreen: [] };

/** More would cover the page; the oldest leaves when one more comes. */
export const toastsOnScreenMax = 4;

/** Two toasts are the same when type and message are. */
export const toastKey = (toast: Pick<Toast, "type" | "message">): string => `${toast.type}\n${toast.message}`;

/**
 * Decides whether a toast may appear: not while an identical one is on screen, nor within 3 s of the last identical
 * one. Entries older than 10 s are forgotten. Source: specification §4, §5, §9.
 * @returns the memory afterwards, whether to show it, and the keys of those that have to make room.
 */
export function admitToast(
  memory: ToastMemory,
  toast: Toast,
  nowMs: number,
): { memory: ToastMemory; show: boolean; evict: readonly string[] } {
  const shownAt = new Map([...memory.shownAt].filter(([, at]) => nowMs - at < limits.toastStaleMs));
  const key = toastKey(toast);
  const last = shownAt.get(key);
  const repeated = last !== undefined && nowMs - last < limits.toastDuplicateWindowMs;
  if (repeated || memory.onScreen.includes(key))
    return { memory: { shownAt, onScreen: memory.onScreen }, show: false, evict: [] };
  shownAt.set(key, nowMs);
  const crowd = [...memory.onScreen, key];
  const evict = crowd.slice(0, Math.max(0, crowd.length - toastsOnScreenMax));
  return { memory: { shownAt, onScreen: crowd.slice(evict.length) }, show: true, evict };
}

/** Notes that a toast has left the screen. */
export const toastLeft = (memory: ToastMemory, key: string): ToastMemory => ({
  ...memory,
  onScreen: memory.onScreen.filter((shown) => shown !== key),
});
