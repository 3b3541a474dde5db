import { useEffect } from "react";
import { t } from "../texts/text.js";

function upsert(selector: string, make: () => HTMLElement, attribute: string, value: string): void {
  const found = document.head.querySelector(selector);
  const target = found ?? make();
  target.setAttribute(attribute, value);
  if (found === null) document.head.append(target);
}

function element(tag: "meta" | "link", name: string, value: string): HTMLElement {
  const made = document.createElement(tag);
  made.setAttribute(name, value);
  return made;
}

/**
 * Sets a page's title, description, canonical address and social preview tags.
 * @param path without origin, with everything that identifies the page
 */
export function usePageMeta(title: string, description: string, path: string): void {
  useEffect(() => {
    const full = `${title} – ${t("website monitoring and testing")}`;
    const canonical = `${location.origin}${path}`;
    document.title = full;
    upsert('meta[name="description"]', () => element("meta", "name", "description"), "content", description);
    upsert('link[rel="canonical"]', () => element("link", "rel", "canonical"), "href", canonical);
    const social = {
      "og:title": full,
      "og:description": description,
      "og:url": canonical,
      "og:type": "website",
      "og:site_name": "web-tester",
    };
    for (const [property, content] of Object.entries(social))
      upsert(`meta[property="${property}"]`, () => element("meta", "property", property), "content", content);
    upsert('meta[name="twitter:card"]', () => element("meta", "name", "twitter:card"), "content", "summary");
  }, [title, description, path]);
}
