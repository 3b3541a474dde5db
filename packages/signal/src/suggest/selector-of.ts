import type { Element } from "domhandler";

/** Elements above one that a selector names at most. */
const stepsMax = 3;
/** Attributes that tell elements of a kind apart where neither id nor class does. */
const telling: Readonly<Record<string, readonly string[]>> = {
  input: ["name", "type"],
  meta: ["name", "property", "http-equiv"],
  link: ["rel"],
  button: ["name", "type"],
  select: ["name"],
  form: ["name"],
};

/**
 * A selector for an element that holds on other pages of the same kind too, as far as ids and classes are words and not made up for one page.
 * @param stays whether an id, a class or a name is the same in other versions of the page
 */
export function selectorOf(element: Element, stays: (token: string) => boolean): string {
  let selector = "";
  let at: Element | null = element;
  for (let step = 0; step < stepsMax && at !== null; step += 1) {
    const own = named(at, stays);
    selector = selector === "" ? (own ?? tagIn(at)) : `${own ?? tagIn(at)} > ${selector}`;
    if (own !== null) return selector;
    at = parentOf(at);
  }
  return selector;
}

function named(element: Element, stays: (token: string) => boolean): string | null {
  const isStable = (token: string) => isWord(token) && stays(token);
  const { name, attribs } = element;
  const id = attribs["id"];
  if (id !== undefined && isStable(id)) return `${name}#${id}`;
  const classes = (attribs["class"] ?? "").split(/\s+/).filter(isStable).slice(0, 2);
  if (classes.length > 0) return [name, ...classes].join(".");
  for (const attribute of telling[name] ?? []) {
    const value = attribs[attribute];
    if (value !== undefined && /^[A-Za-z_][\w.:[\]-]{0,40}$/.test(value) && stays(value))
      return `${name}[${attribute}="${value}"]`;
  }
  return ["html", "head", "body", "title", "main", "footer", "header"].includes(name) ? name : null;
}

/** Words, with a digit or two at most; not what a server or a build makes up. */
function isWord(token: string): boolean {
  return /^[A-Za-z_][\w-]{0,40}$/.test(token) && !/\d{3}|\d.*\d.*\d/.test(token) && !/^[0-9a-f-]{8,}$/i.test(token);
}

function tagIn(element: Element): string {
  const siblings =
    parentOf(element)?.children.filter((child): child is Element => "name" in child && child.name === element.name) ??
    [];
  return siblings.length > 1 ? `${element.name}:nth-of-type(${siblings.indexOf(element) + 1})` : element.name;
}

function parentOf(element: Element): Element | null {
  const { parent } = element;
  return parent !== null && "name" in parent ? parent : null;
}
