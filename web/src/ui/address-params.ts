import { useCallback, useEffect, useRef, useState } from "react";
import { type NavigateOptions, useSearchParams } from "react-router";

/** Makes the next parameters from those that the address has now; it may change these in place. */
export type ParamsChange = (now: URLSearchParams) => URLSearchParams;

/**
 * The parameters of the address as rendered, and a function to change them. A change starts from the present address: React renders an
 * address a while after it has changed, and otherwise the second of two quick changes would undo the first.
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
 * State of a text field that is written to the address a moment after typing (debounced), so that reloads, links and going back
 * restore it.
 * @param name the parameter that holds it
 */
export function useTypedParam(name: string): [text: string, setText: (text: string) => void] {
  const [drawn, change] = useAddressParams();
  const value = drawn.get(name) ?? "";
  const [text, setText] = useState(value);
  const known = useRef(value);
  useEffect(() => {
    // the rendered value may be one written from here, while more has been typed since
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
    // the next choice may lead to another screen, and a later write would bring the reader back from there
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

/** Sets one parameter; an empty value removes it. */
export function withParam(params: URLSearchParams, name: string, value: string): URLSearchParams {
  if (value === "") params.delete(name);
  else params.set(name, value);
  return params;
}
