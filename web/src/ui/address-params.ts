import { useCallback, useEffect, useRef, useState } from "react";
import { type NavigateOptions, useSearchParams } from "react-router";

/** Makes the next parameters of those that the address has now, which it may change. */
export type ParamsChange = (now: URLSearchParams) => URLSearchParams;

/**
 * The parameters of the address, as they are drawn, and a way to change them. A change starts from what the address says by then: React
 * draws an address some time after it is there, and of two choices in quick succession the second would undo the first.
 */
export function useAddressParams(): [
  drawn: URLSearchParams,
  change: (change: ParamsChange, options?: NavigateOptions) => void,
] {
  const [drawn, setParams] = useSearchParams();
  const change = useCallback(
    (make: ParamsChange, options?: NavigateOptions) =>
      setParams(make(new URLSearchParams(globalThis.location.search)), options),
    [setParams],
  );
  return [drawn, change];
}

const typingMs = 200;
const choices = ["click", "keydown", "focusout"] as const;

/**
 * A text that is typed: it stands in the address a moment later, so that reading the page again, a link and the way back bring it with them.
 * @param name the parameter that holds it
 */
export function useTypedParam(name: string): [text: string, setText: (text: string) => void] {
  const [drawn, change] = useAddressParams();
  const value = drawn.get(name) ?? "";
  const [text, setText] = useState(value);
  const known = useRef(value);
  useEffect(() => {
    // what was written from here may be drawn when more has been typed already
    if (value === known.current) return;
    known.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === known.current) return undefined;
    const write = () => {
      if (text === known.current) return;
      known.current = text;
      change((now) => withParam(now, name, text), { replace: true, preventScrollReset: true });
    };
    // what is chosen next may lead to another screen, and a later write would take one back from its way there
    const writeBefore = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || event.key === "Enter") write();
    };
    const timer = setTimeout(write, typingMs);
    for (const choice of choices) document.addEventListener(choice, writeBefore, { capture: true });
    return () => {
      clearTimeout(timer);
      for (const choice of choices) document.removeEventListener(choice, writeBefore, { capture: true });
    };
  }, [text, name, change]);
  return [text, setText];
}

/** The parameters with a value for one of them; an empty one is left out. */
export function withParam(params: URLSearchParams, name: string, value: string): URLSearchParams {
  if (value === "") params.delete(name);
  else params.set(name, value);
  return params;
}
