import { useEffect, useRef } from "react";

/** Single-key shortcuts; the names are `KeyboardEvent.key` values. */
export type KeyMap = Readonly<Record<string, () => void>>;

/** Keys that step through something and may be held down. For all others, holding a key counts as one press. */
const walking: readonly string[] = ["j", "k", "n", "p"];

/** The name of the pressed key: its Latin letter also where the keyboard layout has another script. */
export function keyOf({ key, code, shiftKey }: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  const letter = /^\P{ASCII}$/u.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  return letter === undefined ? key : shiftKey ? letter : letter.toLowerCase();
}

/** Elements that take typed letters; a checkbox or radio button that was clicked leaves them to the page. */
const fields =
  "input:not([type=checkbox], [type=radio]), textarea, select, [role=combobox], [role=listbox], [role=menu]";

/** Whether what is typed into an element belongs to a field. */
export function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.closest(fields) !== null);
}

/** Whether a key press belongs to a field or a dialog rather than to the page. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (isField(event.target)) return true;
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
}

/** Registers single-key shortcuts of a page; they are inactive while a field or a dialog has the focus. */
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

/** Makes j and k step through the elements marked `data-row`, in their order on the screen. */
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

/** Makes "/" focus the page's filter or search field, marked `data-filter`; Escape in it leaves it. */
export function useFilterKey(): void {
  useKeys({ "/": () => document.querySelector<HTMLElement>("[data-filter]")?.focus() });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // during composition (IME), Escape cancels what was composed
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
