import type { CDPSession } from "playwright-core";

/** The name of the isolated world, apart from the page's own scripts, in which questions about a document are asked. */
export const ownWorld = "web-tester";

/** Names of events and properties, random so that no page uses them. */
const closedName = `closed${Math.random().toString(36).slice(2)}`;
const stateName = `state${Math.random().toString(36).slice(2)}`;
const ruleName = `rule${Math.random().toString(36).slice(2)}`;
/** The longest rule that is remembered: with longer ones the page would be more font than page. */
const ruleMaxChars = 100_000;
/** The most names of states, and the most registered rules, that are remembered of one document. */
const namesMax = 200;

/**
 * The property that keeps a rule's original text inside it, where the rule itself no longer tells it; random, so that no
 * page uses it.
 */
const textName = `--text${Math.random().toString(36).slice(2)}`;

/**
 * JavaScript that maps the texts of rules as Chromium returns them to the original texts that `keepTexts` kept. Where a
 * page changed a rule since, the change counts: the kept text is of an earlier state.
 */
export const textsOfRules = `(texts) => {
  const kept = / ${textName}: "(sheet|rule)(\\d+) ([^"]*)";/;
  const plain = texts.map((text) => text.replace(kept, ""));
  // a page can write what it likes there
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return null; } };
  const textOf = (wanted, marked, rules) => {
    const [, of, length, text] = kept.exec(marked) ?? [];
    return of === wanted && rules.length === Number(length) ? decoded(text) : null;
  };
  const whole = textOf("sheet", texts.find((text) => kept.exec(text)?.[1] === "sheet") ?? "", plain.join(""));
  return whole === null ? texts.map((text, index) => textOf("rule", text, plain[index]) ?? plain[index]) : [whole];
}`;

/** Changes of one element, without growth, after which it counts as restless … */
const restlessChanges = 5;
/** … where they lasted this long: a ticker, a clock, a carousel, an animation. */
const restlessMs = 1_500;

/**
 * JavaScript that watches every document from its start: when it last changed in a way that matters, and whether anything
 * ever happened that a parser alone does not do. That reveals a script that removed itself, of which nothing remains in
 * the document.
 *
 * A change matters unless its element, or one around it below the body, is restless: text or attributes that are set again
 * and again, children that are replaced by as many others. Children that are added are content that still arrives, and
 * always matter.
 */
const watchChanges = `(() => {
  const seen = { changedAt: performance.now(), wasChanged: false, last: null, hasClosed: false, lateLinks: new WeakSet(), states: new Set(), rules: new Set() };
  globalThis.seen = seen;
  addEventListener(${JSON.stringify(closedName)}, () => { seen.hasClosed = true; }, true);
  const remember = (name, known) => addEventListener(name, ({ detail }) => { const text = String(detail); if (known.size < ${namesMax} && text.length <= ${ruleMaxChars}) known.add(text); }, true);
  remember(${JSON.stringify(stateName)}, seen.states);
  remember(${JSON.stringify(ruleName)}, seen.rules);
  const changes = new WeakMap();
  const isRestless = (node) => {
    const known = changes.get(node);
    return known !== undefined && known.count > ${restlessChanges} && known.lastAt - known.firstAt > ${restlessMs};
  };
  const isInsideRestless = (node) => {
    for (let at = node; at !== null && at !== document.body && at !== document.documentElement; at = at.parentNode)
      if (isRestless(at)) return true;
    return false;
  };
  new MutationObserver((records) => {
    const now = performance.now();
    const growth = new Map();
    for (const { type, target, addedNodes, removedNodes } of records) {
      seen.wasChanged ||= type === "attributes" || removedNodes.length > 0;
      if (document.readyState !== "loading") for (const node of addedNodes) if (node.localName === "link") seen.lateLinks.add(node);
      growth.set(target, (growth.get(target) ?? 0) + addedNodes.length - removedNodes.length);
    }
    for (const [target, net] of growth) {
      if (net <= 0) {
        const known = changes.get(target) ?? { count: 0, firstAt: now, lastAt: now };
        known.count += 1;
        known.lastAt = now;
        changes.set(target, known);
      }
      if (isInsideRestless(net > 0 ? target.parentNode : target)) continue;
      seen.changedAt = now;
      seen.last = target;
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
})()`;

/**
 * JavaScript for the page's own world, like `watchTimers`: reports a closed shadow tree, the states that custom elements
 * were in, and the properties and fonts that scripts registered, none of which show in the document; and keeps WebGL
 * drawings readable.
 */
const keepShown = `(() => {
  const apply = Reflect.apply;
  const OwnEvent = Event;
  const tell = window.dispatchEvent;
  Element.prototype.attachShadow = new Proxy(Element.prototype.attachShadow, {
    apply(target, self, args) {
      const root = apply(target, self, args);
      if (root.mode === "closed") apply(tell, window, [new OwnEvent(${JSON.stringify(closedName)})]);
      return root;
    },
  });
  const NamingEvent = CustomEvent;
  const tellOf = (owner, name, kind, detailOf) => {
    if (typeof owner?.[name] !== "function") return;
    owner[name] = new Proxy(owner[name], {
      apply(target, self, args) {
        const result = apply(target, self, args);
        try { apply(tell, window, [new NamingEvent(kind, { detail: detailOf(args[0]) })]); } catch {}
        return result;
      },
    });
  };
  tellOf(window.CustomStateSet?.prototype, "add", ${JSON.stringify(stateName)}, (state) => String(state));
  tellOf(window.CSS, "registerProperty", ${JSON.stringify(ruleName)}, ({ name, syntax = "*", inherits, initialValue }) =>
    "@property " + name + ' { syntax: "' + syntax + '"; inherits: ' + Boolean(inherits) + ";" + (initialValue === undefined ? "" : " initial-value: " + initialValue) + " }");
  const { construct } = Reflect;
  const sources = new WeakMap();
  const [keepSource, sourceOf] = [sources.set.bind(sources), sources.get.bind(sources)];
  window.FontFace = new Proxy(window.FontFace, {
    construct(target, args, made) {
      const face = construct(target, args, made);
      if (typeof args[1] === "string") keepSource(face, args[1]);
      return face;
    },
  });
  const parts = { style: "font-style", weight: "font-weight", stretch: "font-stretch", unicodeRange: "unicode-range", featureSettings: "font-feature-settings" };
  tellOf(window.FontFaceSet?.prototype, "add", ${JSON.stringify(ruleName)}, (face) => {
    const source = sourceOf(face);
    if (source === undefined) return "";
    const described = Object.entries(parts).map(([name, property]) => property + ": " + face[name] + ";").join(" ");
    return '@font-face { font-family: "' + face.family.replaceAll('"', "") + '"; src: ' + source + "; " + described + " }";
  });
  for (const { prototype } of [HTMLCanvasElement, window.OffscreenCanvas ?? HTMLCanvasElement])
    prototype.getContext = new Proxy(prototype.getContext, {
      apply(target, self, args) {
        const [kind, wishes] = args;
        const isDeep = kind === "webgl" || kind === "webgl2" || kind === "experimental-webgl";
        return apply(target, self, isDeep ? [kind, { ...wishes, preserveDrawingBuffer: true }] : args);
      },
    });
})()`;

/**
 * JavaScript for the page's own world, like `watchTimers`: keeps the texts of style rules that scripts insert. Where a
 * part of a shorthand with a variable is set again (`background: var(--a); background-clip: text`), the rule itself shows
 * only names without values.
 */
const keepTexts = `(() => {
  const apply = Reflect.apply;
  const getterOf = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const [rulesOf, textOf, styleOf] = [getterOf(CSSStyleSheet.prototype, "cssRules"), getterOf(CSSRule.prototype, "cssText"), getterOf(CSSStyleRule.prototype, "style")];
  const groupOf = getterOf(CSSGroupingRule.prototype, "cssRules");
  const { setProperty } = CSSStyleDeclaration.prototype;
  const encode = encodeURIComponent;
  const firstStyle = (rules) => {
    for (let index = 0; index < rules.length; index += 1) {
      const rule = rules[index];
      const found = rule instanceof CSSStyleRule ? rule : rule instanceof CSSGroupingRule ? firstStyle(apply(groupOf, rule, [])) : null;
      if (found !== null) return found;
    }
    return null;
  };
  const keep = (of, rules, written) => {
    if (typeof written !== "string" || !/var\\(/i.test(written)) return;
    let text = "";
    for (let index = 0; index < rules.length; index += 1) text += apply(textOf, rules[index], []);
    if (!text.includes(": ;")) return;
    const at = firstStyle(rules);
    if (at !== null) apply(setProperty, apply(styleOf, at, []), ["${textName}", '"' + of + text.length + " " + encode(written) + '"']);
  };
  const after = (name, then) => {
    CSSStyleSheet.prototype[name] = new Proxy(CSSStyleSheet.prototype[name], {
      apply(target, self, args) {
        const result = apply(target, self, args);
        try { then(self, args, result); } catch {}
        return result;
      },
    });
  };
  after("insertRule", (sheet, [text], index) => keep("rule", [apply(rulesOf, sheet, [])[index]], text));
  after("replaceSync", (sheet, [text]) => keep("sheet", apply(rulesOf, sheet, []), text));
  after("replace", (sheet, [text], done) => done.then(() => keep("sheet", apply(rulesOf, sheet, []), text)).catch(() => undefined));
})()`;

/**
 * The longest timer that is waited for: later ones are no content that a person waits for, but reminders, refreshes, ends
 * of sessions.
 */
const timersMaxMs = 3_000;
/** A timer that was set this often, or by a timer inside a timer inside a timer, is a clock. */
const timerRounds = 3;
/** The name of the function that tells when the page's timers are over. */
const dueName = `due${Math.random().toString(36).slice(2)}`;

/**
 * JavaScript that tracks the timers that a page has set and that are not over, for what it shows "a moment later". It has
 * to run in the page's own world, where a proxy of the native function looks like the native function. A page that tampers
 * with it can at worst make the load wait for its whole budget.
 */
const watchTimers = `(() => {
  const waiting = new Map();
  const fired = new Map();
  let depth = 0;
  const now = performance.now.bind(performance);
  const apply = Reflect.apply;
  window.setTimeout = new Proxy(window.setTimeout, {
    apply(target, self, args) {
      const [handler, delay] = args;
      const isWaitedFor = typeof handler === "function" && delay >= 1 && delay <= ${timersMaxMs} && depth < ${timerRounds} && (fired.get(delay) ?? 0) < ${timerRounds};
      if (!isWaitedFor) return apply(target, self, args);
      const level = depth + 1;
      let id;
      const run = function (...given) {
        waiting.delete(id);
        fired.set(delay, (fired.get(delay) ?? 0) + 1);
        const before = depth;
        depth = level;
        try {
          return apply(handler, this, given);
        } finally {
          depth = before;
        }
      };
      id = apply(target, self, [run, ...args.slice(1)]);
      waiting.set(id, now() + delay);
      return id;
    },
  });
  window.clearTimeout = new Proxy(window.clearTimeout, {
    apply(target, self, args) {
      waiting.delete(args[0]);
      return apply(target, self, args);
    },
  });
  Object.defineProperty(window, ${JSON.stringify(dueName)}, {
    value: () => (waiting.size === 0 ? 0 : Math.max(1, Math.max(...waiting.values()) - now())),
  });
})()`;

/** To be called once for a tab, before its first page. */
export async function watchDocuments(cdp: CDPSession): Promise<void> {
  await cdp.send("Page.enable");
  await cdp.send("Page.addScriptToEvaluateOnNewDocument", { source: watchChanges, worldName: ownWorld });
  await cdp.send("Page.addScriptToEvaluateOnNewDocument", { source: `${watchTimers};${keepShown};${keepTexts}` });
}

/** Returns how many milliseconds the page's timers still take; 0 where none is waited for. */
export async function timersDueMs(cdp: CDPSession): Promise<number> {
  const { result } = await cdp.send("Runtime.evaluate", {
    expression: `globalThis[${JSON.stringify(dueName)}]?.() ?? 0`,
    returnByValue: true,
  });
  const due: unknown = result.value;
  return typeof due === "number" && due > 0 ? Math.min(due, timersMaxMs) : 0;
}
