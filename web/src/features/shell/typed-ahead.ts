/** What was typed since a field was asked for that is still being loaded; undefined while none is. */
let typed: string | undefined;

/** Whether somebody still waits for the field; Escape gives it up. */
export const isAwaited = (): boolean => typed !== undefined;

/** Begins to collect what is typed for a field that is being loaded; otherwise letters would act as the page's shortcuts. */
export function keepTyped(): void {
  if (typed === undefined) window.addEventListener("keydown", onKey, { capture: true });
  typed ??= "";
}

/**
 * Stops collecting.
 * @returns what was typed
 */
export function takeTyped(): string {
  const text = typed ?? "";
  typed = undefined;
  window.removeEventListener("keydown", onKey, { capture: true });
  return text;
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const { key } = event;
  if (key === "Escape") takeTyped();
  else if (key === "Backspace") typed = typed?.slice(0, -1);
  else if ([...key].length === 1) typed = `${typed ?? ""}${key}`;
  // Enter is swallowed too, as it would follow the link that still has the focus
  else if (key !== "Enter") return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
