/** In a stored page: the states that an element of the site's own was in, with blanks between them. Only its scripts could tell them. */
export const statesAttribute = "data-custom-states";

const state = /:state\(\s*([\w-]+)\s*\)/gi;

/** A stylesheet that asks for that attribute where it asked for a state; both weigh the same. */
export function asksForAttribute(css: string): string {
  return css.replaceAll(state, `[${statesAttribute}~="$1"]`);
}
