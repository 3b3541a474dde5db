import type { DescribedSpot } from "../suggest/describe-spot.js";

/** Currencies as pages write them, in characters, entities and codes. */
const currency = String.raw`(?:\p{Sc}|&(?:euro|pound|yen|dollar|cent|#0*(?:36|163|165|8364)|#x0*(?:24|a3|a5|20ac));|(?<![\p{L}\d])(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|PLN|CZK|SEK|NOK|DKK|Kč|zł)(?!\p{L}))`;
const gap = String.raw`(?:\s|&(?:nbsp|#160|#xa0);)*`;
/** The other digits of a price of which some differ; groups of three may be parted by a space. */
const digits = String.raw`[\p{Nd}.,'’-]*(?:\s\p{Nd}{3}(?!\p{Nd})[.,\p{Nd}-]*)*`;
const behindCurrency = new RegExp(`${currency}${gap}${digits}\\s?$`, "iu");
const beforeCurrency = new RegExp(`^${digits}${gap}${currency}`, "iu");
const currencies = new RegExp(currency, "giu");
/** A price itself, without its currency. */
const amount = /^[+-]?\p{Nd}[\p{Nd}\s.,'’-]{0,14}$/u;
const named = "(?:price|preis|prix|precio|prezzo|prijs|cena)";
/** What comes right before a price that has no currency: the name of its field or attribute, or its element's start tag. */
const behindName = new RegExp(
  `(?:${named}[\\w-]*["':=\\s]*|<[^<>]*${named}[^<>]*(?:>\\s*|\\s(?:content|value)=["']?))[\\p{Nd}.,]*$`,
  "iu",
);
const isNamed = new RegExp(named, "i");
/** Characters that tell whether a number is a price. */
const nearChars = 60;

/**
 * Whether what differs is a price: a price that is another one at each visit, as in a test of two prices, is no noise to whoever watches
 * it, because a rule for it hides any later price as well.
 * @param spots the sightings of one place
 */
export const arePrices = (spots: readonly DescribedSpot[]): boolean =>
  spots.length > 0 && spots.filter(isPrice).length * 2 > spots.length;

function isPrice({ values, before, after, attribute, selector }: DescribedSpot): boolean {
  const amounts = values.map((value) => value.replaceAll(currencies, "").trim());
  if (!amounts.every((value) => amount.test(value))) return false;
  if (amounts.some((value, index) => value.length < (values[index] ?? "").trim().length)) return true;
  const [left, right] = [before.slice(-nearChars), after.slice(0, nearChars)];
  if (behindCurrency.test(left) || beforeCurrency.test(right)) return true;
  if (behindName.test(left)) return true;
  return attribute !== null && isNamed.test(/^(?:content|value)$/i.test(attribute) ? selector : attribute);
}
