import type { AssetKind } from "../links/asset-kind.js";
import { directivesOf, policiesMax } from "./content-policy.js";

/** Decides by the content security policies of a page (CSP 3 §6.7.2) which of the files that it names browsers load. */
export interface FilePolicy {
  /** Adds a policy, which applies to the files after it. */
  add(policy: string): void;
  /** @param url absolute, or `data:` @param nonce of the link that names a stylesheet, undefined where it has none; null where that is unknown: every one counts */
  allows(url: string, kind: AssetKind, nonce?: string | null): boolean;
}

/** The directives for a kind of file: the first that a policy contains counts. Kinds that are never shown, or that no directive is for, are left out. */
const directivesFor: Partial<Record<AssetKind, readonly string[]>> = {
  stylesheet: ["style-src-elem", "style-src", "default-src"],
  image: ["img-src", "default-src"],
  font: ["font-src", "default-src"],
  media: ["media-src", "default-src"],
  document: ["frame-src", "child-src", "default-src"],
};

/** @param self the address of the page, which `'self'` stands for */
export function createFilePolicy(sent: readonly string[], self: string): FilePolicy {
  const page = URL.parse(self);
  const policies = sent.slice(0, policiesMax).map(directivesOf);
  const matchers = new Map<string, (url: URL) => boolean>();
  const matches = (source: string, url: URL, of: URL) => {
    const known = matchers.get(source) ?? matcherOf(source, of);
    matchers.set(source, known);
    return known(url);
  };
  return {
    add(policy) {
      if (policies.length < policiesMax) policies.push(directivesOf(policy));
    },
    allows(address, kind, nonce) {
      const names = directivesFor[kind];
      const url = policies.length === 0 || names === undefined ? null : URL.parse(address);
      if (names === undefined || url === null || page === null) return true;
      return policies.every((directives) => {
        const name = names.find((each) => directives.has(each));
        const sources = name === undefined ? undefined : directives.get(name)?.slice(0, sourcesMax);
        return sources === undefined || sources.some((source) => hasNonce(source, nonce) || matches(source, url, page));
      });
    },
  };
}

const hasNonce = (source: string, nonce: string | null | undefined) =>
  nonce === null ? /^'nonce-/i.test(source) : source === `'nonce-${nonce ?? ""}'`;

/** The most sources of a directive that count, since every file is compared with each. */
const sourcesMax = 200;

const hostSource = /^(?:([a-z][a-z\d+.-]*):\/\/)?(\*|(?:\*\.)?[^/:*'?#]+)(?::(\*|\d+))?(\/[^?#]*)?$/i;

/** Returns whether an address is one that a source of a list stands for. Sources that browsers do not understand stand for none. */
function matcherOf(source: string, page: URL): (url: URL) => boolean {
  const word = source.toLowerCase();
  if (word === "*") return (url) => /^https?:$/.test(url.protocol);
  if (word === "'self'") return (url) => url.origin === page.origin || isSecured(url, page);
  if (/^[a-z][a-z\d+.-]*:$/.test(word)) return (url) => isOfScheme(url, word);
  const [, written, name, port, path] = hostSource.exec(source) ?? [];
  if (name === undefined) return () => false;
  const [scheme, host] = [written === undefined ? page.protocol : `${written.toLowerCase()}:`, name.toLowerCase()];
  return (url) => isOfHost(url, host) && isOfScheme(url, scheme) && isOfPort(url, port) && isOfPath(url, path);
}

/** Whether an address is the page's own, but over TLS. */
function isSecured(url: URL, page: URL): boolean {
  const isUsual = page.port === "" && url.port === "";
  return page.protocol === "http:" && url.protocol === "https:" && url.hostname === page.hostname && isUsual;
}

const isOfScheme = (url: URL, scheme: string) =>
  url.protocol === scheme || (scheme === "http:" && url.protocol === "https:");

function isOfHost({ hostname }: URL, host: string): boolean {
  if (host === "*") return true;
  return host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host;
}

function isOfPort({ port, protocol }: URL, wanted: string | undefined): boolean {
  if (wanted === "*") return true;
  if (wanted === undefined) return port === "";
  const used = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return used === wanted || (wanted === "80" && used === "443");
}

/** A path that ends with `/` stands for all below it. */
function isOfPath({ pathname }: URL, path: string | undefined): boolean {
  if (path === undefined || path === "/") return true;
  return path.endsWith("/") ? pathname.startsWith(path) : pathname === path;
}
