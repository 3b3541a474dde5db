import { useCallback } from "react";
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
