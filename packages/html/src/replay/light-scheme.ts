/** The property, and not the media feature or a variable that ends so; a value is some words. */
const schemeProperty = /(?<![\w-])(color-scheme\s*:\s*)([\w\s-]{1,80})/gi;

/**
 * Of the schemes that a page offers (`light dark`, in any order) the one that it was seen in: browsers that fetch pages ask for the light one. Left as
 * it is, whoever reads a stored page in dark colours would see another page than was stored. One that offers the dark scheme alone keeps it.
 */
export function lightScheme(offered: string): string {
  const words = offered.trim().toLowerCase().split(/\s+/);
  return words.includes("light") && words.includes("dark") ? "light" : offered;
}

/** The same for the property in a stylesheet, on which fields, scroll bars, the ground and `light-dark()` depend. */
export function inLightScheme(css: string): string {
  if (!/color-scheme/i.test(css)) return css;
  return css.replaceAll(schemeProperty, (_, property: string, offered: string) => property + lightScheme(offered));
}
