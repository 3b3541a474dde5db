/** Matches the property, not the media feature or a variable whose name ends the same; a value is a few words. */
const schemeProperty = /(?<![\w-])(color-scheme\s*:\s*)([\w\s-]{1,80})/gi;

/**
 * Returns the light scheme where a page offers both (`light dark`, in any order): it was fetched with the light one, and
 * unchanged, a reader who prefers dark colours would see another page than was stored. A page that offers the dark scheme
 * alone keeps it.
 */
export function lightScheme(offered: string): string {
  const words = offered.trim().toLowerCase().split(/\s+/);
  return words.includes("light") && words.includes("dark") ? "light" : offered;
}

/** Does the same for the property in a stylesheet, on which fields, scroll bars, the background and `light-dark()` depend. */
export function inLightScheme(css: string): string {
  if (!/color-scheme/i.test(css)) return css;
  return css.replaceAll(schemeProperty, (_, property: string, offered: string) => property + lightScheme(offered));
}
