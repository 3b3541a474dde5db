import type { DescribedSpot } from "../suggest/describe-spot.js";

/** Currencies as pages write them, in characters, entities and codes. */
const currency = String.raw`(?:\p{Sc}|&(?:euro|pound|yen|dollar|cent|#0*(?:36|163|165|8364)|#x0*(?:24|a3|a5|20ac));|(?<![\p{L}\d])(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|PLN|CZK|SEK|NOK|DKK|Kč|zł)(?!\p{L}))`;
/** White space, and the other digits of a price of which some differ. */
const between = String.raw`(?:[\p{Nd}\s.,'’-]|&(?:nbsp|#160|#xa0);)*`;
const behindCurrency = new RegExp(`${currency}${between}$`, "iu");
const beforeCurrency = new RegExp(`^${between}${currency}`, "iu");
const currencies = new RegExp(currency, "giu");
/** A price itself, without its currency. */
const amount = /^[+-]?\p{Nd}[\p{Nd}\s.,'’-]*$/u;
const named = "(?:price|preis|prix|precio|prezzo|prijs|cena)";
/** A field or variable that is called a price, or an element with such an attribute, of which the value is the beginning. */
const behindName = new RegExp(`(?:${named}[\\w-]*["':=\\s]*|<[^<>]*${named}[^<>]*>?\\s*)[\\p{Nd}.,]*$`, "iu");
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
  return behindName.test(left) || (attribute !== null && isNamed.test(`${selector} ${attribute}`));
}
