import { createHash } from "node:crypto";
import { directivesOf, policiesMax } from "./content-policy.js";

/** Decides by the content security policies of a page (CSP 3 §6.7) which of its inline styles apply. */
export interface StylePolicy {
  /** Adds a policy, which applies to the styles after it. */
  add(policy: string): void;
  /** Whether browsers ignore a `style` attribute. */
  refusesAttribute(css: string): boolean;
  /** Whether browsers ignore a `style` element. @param nonce the value of its attribute */
  refusesElement(css: string, nonce: string | undefined): boolean;
}

export function createStylePolicy(sent: readonly string[]): StylePolicy {
  let count = 0;
  const elements: Sources[] = [];
  const attributes: Sources[] = [];
  const add = (policy: string) => {
    if ((count += 1) > policiesMax) return;
    const directives = directivesOf(policy);
    const usual = directives.get("style-src") ?? directives.get("default-src");
    const [element, attribute] = [
      readSources(directives.get("style-src-elem") ?? usual),
      readSources(directives.get("style-src-attr") ?? usual),
    ];
    if (element !== null) elements.push(element);
    if (attribute !== null) attributes.push(attribute);
  };
  sent.forEach(add);
  return {
    add,
    refusesAttribute(css) {
      const digests = digestsOf(css);
      return attributes.some((sources) => !(sources.namesAttributes && sources.hasDigest(digests)));
    },
    refusesElement(css, nonce) {
      const digests = digestsOf(css);
      return elements.some(({ nonces, hasDigest }) => !nonces.has(nonce ?? "") && !hasDigest(digests));
    },
  };
}

/** The styles that a policy allows, if it does not allow all. */
interface Sources {
  nonces: ReadonlySet<string>;
  /** Whether digests apply to `style` attributes too. */
  namesAttributes: boolean;
  hasDigest(digestBy: (algorithm: string) => string): boolean;
}

/** Parses a source list. @returns null if all styles are allowed; a nonce or a digest overrides `'unsafe-inline'` */
function readSources(sources: readonly string[] | undefined): Sources | null {
  if (sources === undefined) return null;
  const words = new Set(sources.map((source) => source.toLowerCase()));
  const nonces = new Set(sources.flatMap((source) => (/^'nonce-.+'$/i.test(source) ? [source.slice(7, -1)] : [])));
  const digests = new Map<string, Set<string>>();
  for (const source of sources) {
    const [, algorithm, digest = ""] = /^'(sha256|sha384|sha512)-(.*)'$/i.exec(source) ?? [];
    if (algorithm === undefined) continue;
    const known = digests.get(algorithm.toLowerCase()) ?? new Set();
    digests.set(algorithm.toLowerCase(), known.add(digest.replaceAll("-", "+").replaceAll("_", "/")));
  }
  if (nonces.size === 0 && digests.size === 0 && words.has("'unsafe-inline'")) return null;
  return {
    nonces,
    namesAttributes: words.has("'unsafe-hashes'"),
    hasDigest: (digestBy) => [...digests].some(([algorithm, known]) => known.has(digestBy(algorithm))),
  };
}

/** Returns a function that computes the digests of a text, each at its first use. */
function digestsOf(css: string): (algorithm: string) => string {
  const made = new Map<string, string>();
  return (algorithm) => {
    const known = made.get(algorithm);
    if (known !== undefined) return known;
    const digest = createHash(algorithm).update(css.replaceAll(/\r\n?/g, "\n")).digest("base64");
    made.set(algorithm, digest);
    return digest;
  };
}
