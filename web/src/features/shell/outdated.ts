const key = "web-tester-reloaded-at";
const onceEveryMs = 30_000;

/**
 * Whether a screen's code could not be loaded: the server was updated while this page was open, so that its file is gone, or the
 * server does not answer.
 */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|importing a module script|preload CSS|error loading dynamically/i.test(error.message);

/** Whether reloading may help, which it does not if it was tried a moment ago. Remembers the attempt. */
export function mayReload(storage: Pick<Storage, "getItem" | "setItem">, nowMs: number): boolean {
  const last = Number(storage.getItem(key) ?? 0);
  if (nowMs - last < onceEveryMs) return false;
  storage.setItem(key, String(nowMs));
  return true;
}

const askAgainMs = 2_000;

/** Waits until the server answers, whatever it says: reloading before that would show the browser's own error page. */
export async function untilAnswered(
  ask: (signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      await ask(signal);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, askAgainMs));
    }
  }
}
