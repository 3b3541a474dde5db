// @ts-check
import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Which part of the code may import which other one, as rules of the lint: `tests → services | web → loader, replay,
 * worker → records → platform → contracts, html, diff, urls, search-index, signal, watch`, never back or sideways; inside a worker `main →
 * wiring → handler → step → pure functions`; in the gateway `main → wiring → features → snapshots → assets, deletion → auth → http`; in the
 * web application `routes → features → api | ui → texts`; database entities child → parent; outbound sockets in `platform/egress` only.
 *
 * @typedef {{ regex: string, message: string, allowTypeImports?: boolean, allowImportNames?: string[] }} Refusal of an import
 *   by the text between its quotes (the lint does not resolve it; the glob "@web-tester/*" would miss deep imports)
 * @typedef {{ files: string[], excludeFiles?: string[], refusals: Refusal[] }} Area files that share their refusals
 */

/** Layers from the lowest to the highest; those of one rank must not import one another. */
const ranks = [
  ["contracts", "html", "diff"],
  ["urls", "search-index", "cli"],
  ["signal", "watch"],
  ["platform"],
  ["records"],
  ["loader", "replay", "worker"],
  ["gateway", "crawler", "fetcher", "differ", "backup", "web"],
  ["tests", "benches", "local"],
];

/** Services whose files are in the folders `handlers`, `steps` and `pure`. */
const workers = ["crawler", "fetcher", "differ"];

/** Folders of the gateway from the lowest to the highest; those of one rank must not import one another, and all other folders are above these. */
const gatewayRanks = [["http"], ["auth"], ["assets", "deletion"], ["snapshots"]];

/** Parents of each table, as noun/name; a table that is not listed has none. */
/** @type {Record<string, string[]>} */
const tableParents = {
  "runs/run": ["objects/object"],
  "instances/instance": ["objects/object"],
  "removals/removal": ["objects/object"],
  "pages/crawl-page": ["runs/run", "instances/instance"],
  "pages/crawl-skip": ["runs/run"],
  "pages/crawl-link": ["runs/run"],
  "pages/crawl-carrier": ["runs/run"],
  "snapshots/snapshot": ["instances/instance", "runs/run", "contents/content", "assets/file-list"],
  "assets/file-list": ["objects/object"],
  "assets/snapshot-asset": ["assets/file-list", "contents/content"],
  "assets/site-asset": ["objects/object", "contents/content"],
  "changes/change": ["snapshots/snapshot"],
  "changes/change-hunk": ["changes/change"],
  "changes/hunk-text": ["objects/object"],
  "rules/ignore-rule": ["objects/object"],
  "events/watch-event": ["objects/object"],
  "lifecycle/page-lifecycle": ["objects/object", "instances/instance"],
  "channels/route": ["channels/channel", "objects/object"],
  "deliveries/delivery": ["channels/channel"],
  "checks/release-check": ["objects/object", "runs/run"],
  "checks/status-badge": ["objects/object"],
  "comparisons/comparison": ["runs/run"],
  "comparisons/compared-page": ["runs/run", "instances/instance"],
  "comparisons/compared-hunk": ["comparisons/compared-page"],
  "feeds/feed": ["objects/object"],
  "feeds/feed-entry": ["objects/object"],
  "rhythm/change-rhythm": ["objects/object"],
  "schedules/schedule": ["objects/object"],
  "schedules/due-time": ["schedules/schedule"],
  "reviews/verdict": ["runs/run", "instances/instance"],
  "search/search-pack": ["objects/object"],
  "search/search-section": ["search/search-pack"],
  "search/search-entry": ["objects/object", "search/search-pack"],
  "imports/import-row": ["imports/import-job", "contents/content"],
};

/** @param {string[]} names */
const anyOf = (names) => `(?:${names.join("|")})`;

/** Returns everything that a part must not import of the other parts, by package name or by a path out of its own folder. */
/** @param {string} part @returns {Refusal[]} */
function layer(part) {
  const rank = ranks.findIndex((names) => names.includes(part));
  const refused = ranks.slice(rank).flat();
  const message = `Layers: ${part} must not know this (tests → services | web → loader, replay, worker → records → platform → contracts, html, diff; never back or sideways).`;
  const all = ranks.flat();
  return [
    { regex: `^@web-tester/${anyOf(refused)}(?:/|$)`, message },
    {
      regex: `^\\.\\.?/(?:.*/)?${anyOf(all.filter((name) => name !== part))}/(?:src|dist)(?:/|$)`,
      message: `${message} Import other packages by name.`,
    },
    {
      regex: `^(?:\\.\\./)+(?:packages|services|web|tests|benches|infra)/`,
      message: `${message} Import other packages by name.`,
    },
  ];
}

/** @type {Refusal} */
const nestOnlyInGateway = {
  regex: "^@nestjs/",
  message: "Nest: only the gateway is a Nest application; workers are plain functions.",
};

/** @type {Refusal[]} */
const outbound = ["Egress: only packages/platform/src/egress opens outbound sockets; ask it."].flatMap((message) => [
  { regex: "^(?:undici|axios|got|ky|node-fetch|superagent)(?:/|$)", message },
  {
    regex: "^(?:node:)?https?$",
    message,
    allowImportNames: [
      "createServer",
      "Server",
      "ServerResponse",
      "IncomingMessage",
      "IncomingHttpHeaders",
      "OutgoingHttpHeaders",
      "STATUS_CODES",
    ],
  },
  {
    regex: "^(?:node:)?net$",
    message,
    allowImportNames: ["createServer", "Server", "AddressInfo", "isIP", "isIPv4", "isIPv6", "BlockList"],
  },
  { regex: "^(?:node:)?(?:tls|http2|dgram|dns|dns/promises)$", message },
]);

/** @type {Refusal} */
const noNode = {
  regex: "^node:",
  message: "Pure: this runs in browser and server alike and touches nothing; take bytes and give bytes.",
};

/** @type {Refusal} */
const noInputOrOutput = {
  regex: "^node:(?:fs|child_process|worker_threads|cluster|process|timers)",
  message: "Pure: these are functions of text and bytes; they touch nothing.",
};

/** Returns the names of the folders (or of the files, without extension) inside a folder of the checkout. */
/** @param {string} root @param {string} folder @param {"folders" | "files"} what */
function namesIn(root, folder, what) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() === (what === "folders"))
      .map((entry) => entry.name.replace(/\.tsx?$/, ""));
  } catch {
    return [];
  }
}

/** Matches imports of files in the same folder, by name. */
/** @param {string[]} names */
const siblings = (names) => `^\\./${anyOf(names)}\\.js$`;

/** @param {string} name @returns {Area[]} */
function workerAreas(name) {
  const src = `services/${name}/src`;
  const common = [...layer(name), nestOnlyInGateway, ...outbound];
  const back = `Arrows in ${name}: main → wiring → handler → step → pure functions, never back.`;
  const wiring = `main|${name}`;
  const above = (/** @type {string} */ folders) => `^\\.\\./(?:(?:${wiring})\\.js$|${folders})`;
  return [
    { files: [`${src}/${name}.ts`], refusals: [...common, { regex: siblings(["main"]), message: back }] },
    { files: [`${src}/main.ts`], refusals: common },
    {
      files: [`${src}/handlers/*.ts`],
      refusals: [
        ...common,
        { regex: above("handlers/"), message: back },
        { regex: "^\\./", message: `${back} Handlers do not know one another; send a message.` },
      ],
    },
    {
      files: [`${src}/steps/*.ts`],
      refusals: [
        ...common,
        { regex: above("handlers/"), message: `${back} A step of a handler does not know the handler.` },
      ],
    },
    {
      files: [`${src}/pure/*.ts`],
      refusals: [
        ...common,
        {
          regex: above("(?:handlers|steps)/"),
          message: `${back} A pure function knows none of the others.`,
        },
        {
          regex: "^@web-tester/(?:platform|records|loader|replay|worker)/",
          allowTypeImports: true,
          message: `${back} A pure function touches nothing: types only.`,
        },
        {
          regex: "^node:(?:fs|child_process|worker_threads|cluster)",
          message: `${back} A pure function touches nothing.`,
        },
      ],
    },
    // a file directly in `src`, beside these folders, belongs to none of the kinds
    {
      files: [`${src}/*.ts`],
      excludeFiles: [`${src}/${name}.ts`, `${src}/main.ts`],
      refusals: [...common, { regex: ".", message: `${back} A file stands in handlers, steps or pure.` }],
    },
    { files: [`${src}/**/*.test.ts`], refusals: layer(name) },
  ];
}

/** @param {string} root @returns {Area[]} */
function gatewayAreas(root) {
  const src = "services/gateway/src";
  const lower = gatewayRanks.flat();
  const floors = [...gatewayRanks, namesIn(root, src, "folders").filter((name) => !lower.includes(name))];
  const common = [...layer("gateway"), ...outbound];
  const back =
    "Arrows in gateway: main → wiring → features → snapshots → assets, deletion → auth → http, never back or sideways.";
  const wiring = { regex: `^(?:\\./|\\.\\./)+(?:main|gateway|app\\.module)\\.js$`, message: back };
  const notKnown = (/** @type {string} */ folder, /** @type {number} */ rank) => ({
    regex: `^(?:\\./|\\.\\./)+${anyOf(
      floors
        .slice(rank)
        .flat()
        .filter((other) => other !== folder),
    )}/`,
    message: `${back} What two folders need goes to one below them.`,
  });
  return [
    { files: [`${src}/*.ts`], refusals: [...common, { regex: siblings(["main"]), message: back }] },
    { files: [`${src}/parts.ts`], refusals: [...common, wiring, notKnown("", 1)] },
    ...floors.flatMap((folders, rank) =>
      folders.map((folder) => ({
        files: [`${src}/${folder}/**/*.ts`],
        refusals: [...common, wiring, ...(floors.slice(rank).flat().length > 1 ? [notKnown(folder, rank)] : [])],
      })),
    ),
    { files: [`${src}/**/*.test.ts`], refusals: layer("gateway") },
  ];
}

/** @param {string} root @returns {Area[]} */
function webAreas(root) {
  const features = namesIn(root, "web/src/features", "folders");
  const common = [
    ...layer("web"),
    { ...noNode, message: "Browser: there is no Node here." },
    {
      regex: "^@web-tester/(?:platform|loader)(?:/|$)",
      message: "Layers: the browser knows contracts, html and diff only.",
    },
  ];
  const way = "Arrows in web: routes → features → api | ui → texts, never back or sideways.";
  /** @param {string[]} rooms */
  const refuse = (rooms) => ({ regex: `^(?:\\./|\\.\\./)+${anyOf(rooms)}(?:/|\\.js$|$)`, message: way });
  return [
    { files: ["web/src/**/*.{ts,tsx}"], refusals: common },
    { files: ["web/src/routes/**/*.{ts,tsx}"], refusals: [...common, refuse(["main"])] },
    {
      files: ["web/src/texts/**/*.{ts,tsx}"],
      refusals: [...common, refuse(["main", "routes", "features", "api", "ui"])],
    },
    { files: ["web/src/ui/**/*.{ts,tsx}"], refusals: [...common, refuse(["main", "routes", "features", "api"])] },
    { files: ["web/src/api/**/*.{ts,tsx}"], refusals: [...common, refuse(["main", "routes", "features", "ui"])] },
    ...features.map((feature) => ({
      files: [`web/src/features/${feature}/**/*.{ts,tsx}`],
      refusals: [
        ...common,
        refuse(["main", "routes", "features"]),
        {
          regex: `^\\.\\./(?:\\.\\./)*${anyOf(features.filter((other) => other !== feature))}/`,
          message: `${way} Two features do not know one another.`,
        },
      ],
    })),
  ];
}

/** @returns {Area[]} */
function platformAreas() {
  const src = "packages/platform/src";
  const common = [...layer("platform"), nestOnlyInGateway];
  return [
    { files: [`${src}/**/*.ts`], refusals: [...common, ...outbound] },
    { files: [`${src}/egress/**/*.ts`, `${src}/**/*.test.ts`], refusals: common },
  ];
}

/** @param {string} root @returns {Area[]} */
function recordsAreas(root) {
  const src = "packages/records/src";
  const common = [...layer("records"), nestOnlyInGateway, ...outbound];
  const tables = namesIn(root, src, "folders").flatMap((noun) =>
    namesIn(root, `${src}/${noun}`, "files")
      .filter((name) => name.endsWith(".table"))
      .map((name) => `${noun}/${name.slice(0, -".table".length)}`),
  );
  return [
    { files: [`${src}/**/*.ts`], refusals: common },
    ...tables.map((table) => {
      const refused = tables.filter((other) => other !== table && !(tableParents[table] ?? []).includes(other));
      return {
        files: [`${src}/${table}.table.ts`],
        refusals: [
          ...common,
          {
            regex: `/${anyOf(refused.map((other) => other.split("/")[1] ?? other))}\\.table(?:\\.js)?$`,
            message: "Tables: child → parent only; two-way relations fail under ES modules.",
          },
        ],
      };
    }),
  ];
}

/**
 * Returns every area with what it must not import; if two areas contain a file, the later one applies.
 * @param {string} root the checkout
 * @returns {Area[]}
 */
export function areas(root) {
  return [
    .../** @type {const} */ (["contracts", "html", "diff"]).flatMap((name) => [
      {
        files: [`packages/${name}/src/**/*.ts`],
        refusals: [...layer(name), nestOnlyInGateway, name === "html" ? noInputOrOutput : noNode, ...outbound],
      },
      { files: [`packages/${name}/src/**/*.test.ts`], refusals: [...layer(name), nestOnlyInGateway] },
    ]),
    .../** @type {const} */ (["urls", "search-index", "signal", "watch", "replay", "worker"]).flatMap((name) => [
      { files: [`packages/${name}/src/**/*.ts`], refusals: [...layer(name), nestOnlyInGateway, ...outbound] },
      { files: [`packages/${name}/src/**/*.test.ts`], refusals: [...layer(name), nestOnlyInGateway] },
    ]),
    { files: ["services/backup/src/**/*.ts"], refusals: [...layer("backup"), nestOnlyInGateway, ...outbound] },
    ...platformAreas(),
    ...recordsAreas(root),
    { files: ["packages/loader/src/**/*.ts"], refusals: [...layer("loader"), nestOnlyInGateway, ...outbound] },
    {
      files: ["packages/loader/src/**/*.test.ts", "packages/loader/src/test-*.ts"],
      refusals: [...layer("loader"), nestOnlyInGateway],
    },
    ...workers.flatMap(workerAreas),
    ...gatewayAreas(root),
    ...webAreas(root),
    .../** @type {const} */ (["benches", "infra"]).map((folder) => ({
      files: [`${folder}/**/*.{ts,mjs}`],
      refusals: [
        {
          regex: `^@web-tester/${anyOf(["gateway", "crawler", "fetcher", "differ", "web", "tests"])}(?:/|$)`,
          message: `Layers: ${folder} runs the services, it does not import them.`,
        },
        {
          regex: "^(?:\\.\\./)+(?:services|web|tests)/",
          message: `Layers: ${folder} runs the services, it does not import them.`,
        },
      ],
    })),
  ];
}

/** Files that must not open a connection by the global `fetch` either. */
export const withoutGlobalFetch = {
  files: ["packages/*/src/**/*.ts", "services/*/src/**/*.ts"],
  // the command line contacts the server that its user names, on the user's machine
  excludeFiles: ["packages/platform/src/egress/**", "packages/cli/src/client.ts", "**/*.test.ts", "**/test-*.ts"],
};
