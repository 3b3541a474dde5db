/**
 * The attribute of a stored page that lists the states that a custom element was in, separated by spaces. Only its scripts
 * could tell them.
 */
export const statesAttribute = "data-custom-states";

const state = /:state\(\s*([\w-]+)\s*\)/gi;

/** Rewrites a stylesheet to select by that attribute instead of by state; both have the same specificity. */
export function asksForAttribute(css: string): string {
  return css.replaceAll(state, `[${statesAttribute}~="$1"]`);
}
