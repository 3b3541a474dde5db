const key = "web-tester-reloaded-at";
const onceEveryMs = 30_000;

/** Whether a screen could not be loaded because its file is gone: the server was updated while this page was open. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|importing a module script|preload CSS|error loading dynamically/i.test(error.message);

/** Whether reloading may help: it was not tried a moment ago. Remembers the attempt. */
export function mayReload(storage: Pick<Storage, "getItem" | "setItem">, nowMs: number): boolean {
  const last = Number(storage.getItem(key) ?? 0);
  if (nowMs - last < onceEveryMs) return false;
  storage.setItem(key, String(nowMs));
  return true;
}
