import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation } from "react-router";

/** Selector of elements that can be focused. */
const focusable = "a[href], button:not(:disabled), input:not(:disabled), [tabindex]";
const rows = "li, [role=listitem]";
const lists = "ul, ol, [role=list]";

/** The element on the page itself that had the focus, and the row of a list that contained it. */
interface Place {
  element: HTMLElement;
  row: HTMLElement | null;
}

/**
 * Keeps the focus for keyboard users when the focused element disappears: after a dialog it returns to what opened it, also from a
 * menu; after a row of a list it moves to the next row; else to the heading of the part that contained the element.
 */
export function useFocusKept(): void {
  const place = useRef<Place>(undefined);
  const { pathname } = useLocation();
  // a focused element of this page must not be looked for on another one
  useLayoutEffect(() => () => void (place.current = undefined), [pathname]);
  useEffect(() => {
    const note = () => {
      place.current = placeOf(document.activeElement, place.current);
    };
    // leaving a filter by Escape means that keys should walk the rows: later renders must not bring the focus back
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key === "Escape" && target instanceof HTMLElement && target.matches("[data-filter]"))
        place.current = undefined;
    };
    const observer = new MutationObserver((records) => {
      if (place.current === undefined) return;
      const kept = keptOf(place.current, records);
      // also behind a dialog that is still closing: only now is it known what stood beside the removed element
      if (!place.current.element.isConnected && kept !== undefined) place.current = placeOf(kept, place.current);
      if (document.activeElement !== document.body) return;
      (document.querySelector<HTMLElement>("#floats [role=dialog]") ?? kept)?.focus({ preventScroll: true });
    });
    document.addEventListener("focusin", note);
    document.addEventListener("pointerup", note);
    document.addEventListener("keydown", onKey);
    // a button loses the focus too while it is disabled
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    return () => {
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerup", note);
      document.removeEventListener("keydown", onKey);
      observer.disconnect();
    };
  }, []);
}

/** @param before the place until now, which stays while something floating has the focus */
function placeOf(element: Element | null, before: Place | undefined): Place | undefined {
  if (!(element instanceof HTMLElement) || element === document.body) return undefined;
  if (element.closest("#floats") !== null) return before;
  return { element, row: element.closest<HTMLElement>(rows) };
}

/** The element that gets the focus; undefined where the element was only scrolled out of sight. */
function keptOf({ element, row }: Place, records: readonly MutationRecord[]): HTMLElement | undefined {
  if (element.isConnected) return element;
  if (row?.isConnected === true) return within(row);
  const gone = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(element)));
  if (gone === undefined) return undefined;
  const beside = [gone.nextSibling, gone.previousSibling].filter((node) => node instanceof HTMLElement);
  const other = beside.find((node) => node.matches(rows));
  // a virtualised list removes rows that are scrolled away: then the rows beside the removed one are out of sight too
  if (row !== null && other !== undefined) return isSeen(other) ? within(other) : undefined;
  const list = beside.find((node) => node.matches(lists))?.lastElementChild;
  return (list instanceof HTMLElement ? within(list) : undefined) ?? headingOf(gone.target);
}

const within = (row: HTMLElement): HTMLElement | undefined =>
  row.matches(focusable) ? row : (row.querySelector<HTMLElement>(focusable) ?? undefined);

function isSeen(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

/** What names a part of the page: a heading, or the button that unfolds it. */
const titles = "h1, h2, h3, section > button[aria-expanded]";

/** The title of the part of the page that contained something, made focusable. */
function headingOf(node: Node): HTMLElement | undefined {
  const place = node instanceof Element ? node : node.parentElement;
  // a part without a title of its own is within one that has one
  const part = place?.closest(`:is(header, section):has(${titles})`) ?? document;
  const heading =
    part.querySelector<HTMLElement>(titles) ??
    document.querySelector<HTMLElement>("#main h1") ??
    document.querySelector<HTMLElement>("#main");
  if (heading !== null && !heading.matches(focusable)) heading.tabIndex = -1;
  return heading ?? undefined;
}
