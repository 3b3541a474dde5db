/** The servers that a hostile page tries to reach. */
export interface Targets {
  /** The HTTP canary, as host:port. */
  http: string;
  /** The UDP canary, as host:port. */
  udp: string;
  /** The page's own origin; its `/to?<url>`, which redirects, and `/xslt` … are served by the test. */
  own: string;
  /** Other spellings and names of the same canary, as host:port. */
  spellings: readonly string[];
}

/** The ways to reach a server that need only markup, each with a path of its own at the canary. */
function markup(at: (name: string) => string, own: string): string {
  const to = (name: string, status = 302) => `${own}/to?status=${status}&url=${encodeURIComponent(at(name))}`;
  return `
<link rel="stylesheet" href="${at("link-stylesheet")}"><link rel="icon" href="${at("link-icon")}"><link rel="apple-touch-icon" href="${at("link-touch-icon")}">
<link rel="preload" as="image" href="${at("link-preload")}"><link rel="prefetch" href="${at("link-prefetch")}"><link rel="modulepreload" href="${at("link-modulepreload")}">
<link rel="preconnect" href="${at("link-preconnect")}"><link rel="dns-prefetch" href="${at("link-dns-prefetch")}"><link rel="manifest" href="${at("link-manifest")}"><link rel="prerender" href="${at("link-prerender")}">
<link rel="alternate stylesheet" title="other" href="${at("link-alternate")}">
<style>@import url("${at("css-import")}"); @font-face { font-family: canary; src: url("${at("css-font")}"); }
body { font-family: canary; background: url("${at("css-background")}"); cursor: url("${at("css-cursor")}"), auto; }
p::before { content: url("${at("css-content")}"); } ul { list-style-image: url("${at("css-list-style")}"); }
p { border-image: url("${at("css-border-image")}") 1; mask-image: url("${at("css-mask")}"); background-image: image-set(url("${at("css-image-set")}") 1x); shape-outside: url("${at("css-shape")}"); float: left; }</style>
<style media="(min-width: 1px)">@import "${at("css-import-media")}";</style>
<img src="${at("img")}"><img srcset="${at("img-srcset")} 1x"><picture><source srcset="${at("picture-source")}"><img></picture><input type="image" src="${at("input-image")}">
<img src="${to("redirect-302")}"><img src="${to("redirect-307", 307)}"><script src="${to("redirect-script", 301)}"></script><iframe src="${to("redirect-frame", 303)}"></iframe>
<script src="${at("script")}"></script><script type="module" src="${at("script-module")}"></script><script type="module">import "${at("module-import")}";</script>
<iframe src="${at("iframe")}"></iframe><iframe srcdoc='<img src="${at("iframe-srcdoc")}">'></iframe><iframe sandbox src="${at("iframe-sandbox")}"></iframe><fencedframe src="${at("fencedframe")}"></fencedframe>
<iframe srcdoc='<meta http-equiv="refresh" content="0; url=${at("meta-refresh")}">'></iframe><iframe srcdoc='<base href="${at("base/")}"><img src="base-href">'></iframe>
<object data="${at("object")}"></object><embed src="${at("embed")}"><portal src="${at("portal")}"></portal>
<video src="${at("video")}" poster="${at("video-poster")}" preload="auto"></video><audio src="${at("audio")}" preload="auto"></audio><video preload="auto" crossorigin><source src="${at("video-source")}"><track default src="${at("track")}"></video>
<svg><image href="${at("svg-image")}"/><use href="${at("svg-use")}#a"/><filter id="f"><feImage href="${at("svg-feimage")}"/></filter><rect width="9" height="9" filter="url(#f)"/><script href="${at("svg-script")}"></script></svg>
<table background="${at("table-background")}"><tr><td background="${at("td-background")}"></table><ul><li>x</ul><p>x</p>
<form id="post" method="post" action="${at("form-post")}" target="formframe"><input name="a" value="b"></form><iframe name="formframe"></iframe>
<a id="ping" href="#here" ping="${at("a-ping")}">ping</a><a id="blank" target="_blank" href="${at("a-blank")}">blank</a>
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${at("speculation-prefetch")}"]}],"prerender":[{"source":"list","urls":["${at("speculation-prerender")}"]}]}</script>
<iframe src="${own}/xslt"></iframe><iframe src="${own}/refresh-header"></iframe><iframe src="${own}/csp"></iframe>`;
}

/** The ways to reach a server that scripts have. */
function scripts({ http, udp, own }: Targets): string {
  return `
const way = (go) => { try { const r = go(); if (r && r.catch) r.catch(() => {}); } catch {} };
const at = (name) => "http://${http}/" + name;
way(() => fetch(at("fetch"), { mode: "no-cors" })); way(() => fetch(at("fetch-keepalive"), { mode: "no-cors", keepalive: true, method: "POST", body: "x" }));
way(() => { const x = new XMLHttpRequest(); x.open("POST", at("xhr")); x.send("x"); });
way(() => new WebSocket("ws://${http}/websocket")); way(() => new EventSource(at("eventsource"))); way(() => navigator.sendBeacon(at("beacon"), "x"));
way(() => { new Image().src = at("new-image"); }); way(() => new Audio(at("new-audio")).load()); way(() => new FontFace("x", "url(" + at("fontface") + ")").load());
way(() => import(at("dynamic-import"))); way(() => open(at("window-open"))); way(() => document.getElementById("post").submit());
way(() => document.getElementById("ping").click()); way(() => document.getElementById("blank").click());
way(() => new Worker(URL.createObjectURL(new Blob(['try { importScripts("' + at("worker-import") + '") } catch {} fetch("' + at("worker-fetch") + '", { mode: "no-cors" }); new WebSocket("ws://${http}/worker-websocket")']))));
way(() => new SharedWorker(URL.createObjectURL(new Blob(['fetch("' + at("sharedworker-fetch") + '", { mode: "no-cors" })']))));
way(() => navigator.serviceWorker.register("/service-worker.js"));
way(() => new AudioContext().audioWorklet.addModule(at("audio-worklet"))); way(() => CSS.paintWorklet.addModule(at("paint-worklet")));
way(() => { const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.location = at("frame-location"); });
way(() => { const l = document.createElement("link"); l.rel = "stylesheet"; l.href = at("link-by-script"); document.head.append(l); });
way(() => fetchLater(at("fetch-later"), { activateAfter: 0 })); way(() => navigator.credentials.get({ identity: { providers: [{ configURL: at("fedcm.json"), clientId: "x" }] } }));
way(() => new PaymentRequest([{ supportedMethods: at("payment") }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).canMakePayment());
way(() => { const t = new WebTransport("https://${udp}/webtransport"); t.ready.catch(() => {}); t.closed.catch(() => {}); });
way(() => { const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:${udp}" }, { urls: "turn:${udp}?transport=udp", username: "a", credential: "b" }, { urls: "turn:${http}?transport=tcp", username: "a", credential: "b" }] });
  c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o)).catch(() => {}); });
way(() => { document.body.insertAdjacentHTML("beforeend", "<img src='" + at("inserted") + "'>"); });
addEventListener("pagehide", () => { navigator.sendBeacon(at("pagehide-beacon"), "x"); fetch(at("pagehide-fetch"), { mode: "no-cors", keepalive: true }); });
way(() => caches.open("c").then((c) => c.add(new Request(at("cache-add"), { mode: "no-cors" }))));
way(() => fetch("${own}/to?status=302&url=" + encodeURIComponent(at("fetch-redirect")), { mode: "no-cors" }));
document.documentElement.dataset.ran = "yes";`;
}

/** A page that tries all ways, with several spellings of the same canary. */
export function hostilePage(targets: Targets): string {
  const at = (name: string) => `http://${targets.http}/${name}`;
  const spelled = targets.spellings
    .map(
      (host, index) =>
        `<img src="http://${host}/spelling-${index}"><iframe src="http://${host}/spelled-frame-${index}"></iframe>`,
    )
    .join("\n");
  return `<!doctype html><html><head><title>Hostile</title></head><body>${markup(at, targets.own)}${spelled}<script>${scripts(targets)}</script></body></html>`;
}
