import { limits } from "@web-tester/contracts/limits";

export type ToastType = "success" | "error" | "warning" | "info";
export interface Toast {
  readonly type: ToastType;
  readonly message: string;
  /** Milliseconds until it disappears by itself. */
  readonly durationMs?: number;
  /** Id of what it can undo; toasts that undo different things are never the same. */
  readonly takesBack?: string | undefined;
}

/** A toast on screen. */
interface Shown {
  readonly key: string;
  readonly takesBack: boolean;
}

/** The state of the rules: when each toast was last shown, by `toastKey`, and which are on screen now, the oldest first. */
export interface ToastMemory {
  readonly shownAt: ReadonlyMap<string, number>;
  readonly onScreen: readonly Shown[];
}

export const emptyToastMemory: ToastMemory = { shownAt: new Map(), onScreen: [] };

/** The most toasts at a time, as more would cover the page; the oldest makes room for a new one, those with an undo last. */
export const toastsOnScreenMax = 4;

/** The identity of a toast: its type, its message and what it undoes. */
export const toastKey = ({ type, message, takesBack }: Toast): string =>
  [type, message, ...(takesBack === undefined ? [] : [takesBack])].join("\n");

/**
 * Decides whether a toast may appear: not while an identical one is on screen, nor within 3 s of the last identical one. Entries older
 * than 10 s are forgotten. Source: specification §4, §5, §9.
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
  if (repeated || memory.onScreen.some((shown) => shown.key === key))
    return { memory: { shownAt, onScreen: memory.onScreen }, show: false, evict: [] };
  shownAt.set(key, nowMs);
  const tooMany = Math.max(0, memory.onScreen.length + 1 - toastsOnScreenMax);
  const leaving = memory.onScreen.toSorted((a, b) => Number(a.takesBack) - Number(b.takesBack)).slice(0, tooMany);
  const staying = memory.onScreen.filter((shown) => !leaving.includes(shown));
  const onScreen = [...staying, { key, takesBack: toast.takesBack !== undefined }];
  return { memory: { shownAt, onScreen }, show: true, evict: leaving.map((shown) => shown.key) };
}

/** Notes that a toast has left the screen. */
export const toastLeft = (memory: ToastMemory, key: string): ToastMemory => ({
  ...memory,
  onScreen: memory.onScreen.filter((shown) => shown.key !== key),
});
