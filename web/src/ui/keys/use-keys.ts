import { useEffect, useRef } from "react";

/** What a single key does; names are `KeyboardEvent.key` values. */
export type KeyMap = Readonly<Record<string, () => void>>;

/** Keys that walk: they may be held down. Of all others a press is one act, however long it lasts. */
const walking: readonly string[] = ["j", "k", "n", "p"];

/** The key that was pressed: its Latin letter, also where the keyboard writes another script. */
export function keyOf({ key, code, shiftKey }: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  const letter = /^\P{ASCII}$/u.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  return letter === undefined ? key : shiftKey ? letter : letter.toLowerCase();
}

/** What letters are typed into; a switch or a choice that was clicked leaves them to the page. */
const fields =
  "input:not([type=checkbox], [type=radio]), textarea, select, [role=combobox], [role=listbox], [role=menu]";

/** Whether what is typed here belongs to a field. */
export function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.closest(fields) !== null);
}

/** Whether a key press belongs to a field or a dialog rather than to the page. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (isField(event.target)) return true;
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
}

/** Single-key shortcuts of a page; they rest while a field or a dialog has the focus. */
export function useKeys(map: KeyMap): void {
  const current = useRef(map);
  useEffect(() => {
    current.current = map;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const key = keyOf(event);
      const action = Object.hasOwn(current.current, key) ? current.current[key] : undefined;
      if (action === undefined || isTaken(event)) return;
      event.preventDefault();
      if (event.repeat && !walking.includes(key)) return;
      action();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** j and k walk the elements marked `data-row`, in the order in which they stand on the screen. */
export function useRowKeys(): void {
  const step = (by: 1 | -1) => () => {
    const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")].toSorted(
      (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
    );
    const at = rows.findIndex((row) => row === document.activeElement);
    const next = rows[at < 0 ? (by === 1 ? 0 : rows.length - 1) : at + by];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  };
  useKeys({ j: step(1), k: step(-1) });
}

/** "/" puts the focus into the page's filter or search field, marked `data-filter`; Escape in it leaves it. */
export function useFilterKey(): void {
  useKeys({ "/": () => document.querySelector<HTMLElement>("[data-filter]")?.focus() });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // while a sign is composed, Escape takes back what was composed
      if (
        event.key === "Escape" &&
        !event.isComposing &&
        event.target instanceof HTMLElement &&
        event.target.matches("[data-filter]")
      )
        event.target.blur();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
