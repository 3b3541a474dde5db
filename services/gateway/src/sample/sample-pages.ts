/** The sample site's answer to one path. */
export interface SampleAnswer {
  status: number;
  contentType: string;
  body: string;
  location?: string;
}

const teas = [
  { slug: "assam", name: "Assam Second Flush", origin: "India", steep: "4 minutes at 95 °C", cents: 890 },
  { slug: "sencha", name: "Sencha Midori", origin: "Japan", steep: "2 minutes at 70 °C", cents: 1240 },
  { slug: "oolong", name: "Oolong Tie Guan Yin", origin: "China", steep: "3 minutes at 85 °C", cents: 1490 },
  { slug: "rooibos", name: "Rooibos Cederberg", origin: "South Africa", steep: "7 minutes at 100 °C", cents: 650 },
] as const;

const offers = [
  "Free delivery from 20 €",
  "Every third tin is on us",
  "New harvest: Sencha Midori",
  "Ten per cent off all black teas",
];

const news = [
  "We open on Sundays from now on",
  "The new harvest has arrived from Uji",
  "Our tins are made of recycled steel",
  "A tasting on the last Friday of the month",
  "The shop in Mill Lane is being painted",
];

const price = (cents: number) => `${(cents / 100).toFixed(2)} €`;
/** The price of a tea, which is another one at each visit of the page. */
const priceOf = (cents: number, visit: number) => price(cents + 10 * visit);

function page(title: string, main: string): SampleAnswer {
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    body: `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>${title}</title>
  <link rel="stylesheet" href="/style.css">
</head>
<body>
  <header>
    <a href="/"><img src="/logo.svg" alt="" width="32" height="32"> Brook &amp; Stone</a>
    <nav>
      <a href="/teas/">Teas</a>
      <a href="/news/">News</a>
      <a href="/delivery.html">Delivery</a>
      <a href="/about.html">About</a>
    </nav>
  </header>
  <main>
${main}
  </main>
  <footer>
    <p>A sample site. Its pages change each time they are read. <a href="/contact.html">Contact</a></p>
  </footer>
</body>
</html>
`,
  };
}

const list = (items: readonly string[]) =>
  `    <ul>\n${items.map((item) => `      <li>${item}</li>`).join("\n")}\n    </ul>`;

function home(visit: number): SampleAnswer {
  return page(
    "Brook & Stone, tea merchants",
    `    <h1>Tea, and time for it</h1>
    <p class="offer">${offers[visit % offers.length]}</p>
    <p>Four teas, chosen every spring and roasted, rolled and packed where they grow.</p>
${list(teas.map((tea) => `<a href="/teas/${tea.slug}.html">${tea.name}</a> from ${tea.origin}`))}
    <p>You are reader number ${1200 + visit * 7} of this month.</p>`,
  );
}

function teaList(visit: number): SampleAnswer {
  const rows = teas.map(
    (tea) =>
      `      <tr><td><a href="/teas/${tea.slug}.html">${tea.name}</a></td><td>${tea.origin}</td><td>${priceOf(tea.cents, visit)}</td></tr>`,
  );
  return page(
    "Our teas",
    `    <h1>Our teas</h1>
    <table>
      <tr><th>Tea</th><th>Origin</th><th>100 g</th></tr>
${rows.join("\n")}
    </table>`,
  );
}

function teaPage(tea: (typeof teas)[number], visit: number): SampleAnswer {
  const stock = (visit * 5 + tea.slug.length) % 11;
  return page(
    tea.name,
    `    <h1>${tea.name}</h1>
    <dl>
      <dt>Origin</dt><dd>${tea.origin}</dd>
      <dt>Steep</dt><dd>${tea.steep}</dd>
      <dt>Price</dt><dd>${priceOf(tea.cents, visit)} for 100 g</dd>
      <dt>In the shop</dt><dd>${stock === 0 ? "sold out, back on Friday" : `${stock} tins`}</dd>
    </dl>
    <p><a href="/teas/" rel="prev">All teas</a></p>`,
  );
}

function newsList(visit: number): SampleAnswer {
  const shown = Math.min(news.length, 1 + visit);
  const items = news.slice(0, shown).map((title, index) => `<a href="/news/${index + 1}.html">${title}</a>`);
  return page("News", `    <h1>News</h1>\n${list(items.reverse())}`);
}

const lasting: Readonly<Record<string, SampleAnswer>> = {
  "/about.html": page(
    "About us",
    `    <h1>About us</h1>
    <p>Brook &amp; Stone was made up so that you have a site to look at. This page never changes.</p>`,
  ),
  "/delivery.html": page(
    "Delivery",
    `    <h1>Delivery</h1>
    <p>Two days, by bicycle where there is one. This page never changes either.</p>
    <p>The <a href="/shipping.html">old address</a> of this page leads here as well.</p>`,
  ),
  "/contact.html": page(
    "Contact",
    `    <h1>Contact</h1>
    <p>Nobody answers: this is a sample. A <a href="/lost.html">link to a page that is gone</a> is here on purpose.</p>`,
  ),
  "/shipping.html": { status: 301, contentType: "text/plain", body: "", location: "/delivery.html" },
  "/robots.txt": { status: 200, contentType: "text/plain", body: "User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n" },
  "/logo.svg": {
    status: 200,
    contentType: "image/svg+xml",
    body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#2f6f5e"/><path d="M8 19c4-9 12-9 16 0-4 6-12 6-16 0z" fill="#e9f2ec"/></svg>\n`,
  },
  "/style.css": {
    status: 200,
    contentType: "text/css; charset=utf-8",
    body: `body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 17px/1.6 Georgia, serif; color: #22302b; background: #fbfaf6; }
header { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; align-items: center; border-bottom: 1px solid #d9d4c5; padding-bottom: 1rem; }
header > a { display: flex; gap: .6rem; align-items: center; font-weight: bold; }
nav { display: flex; gap: 1rem; }
a { color: #2f6f5e; }
.offer { padding: .6rem 1rem; background: #e9f2ec; border-radius: 6px; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .4rem; border-bottom: 1px solid #d9d4c5; }
dt { font-weight: bold; }
footer { margin-top: 3rem; font-size: 14px; color: #5c6a64; }
`,
  },
};

const missing: SampleAnswer = {
  ...page("Not found", "    <h1>There is no such page</h1>"),
  status: 404,
};

/**
 * The page at a path of the sample site.
 * @param visit how often this page was read before, from 0; some pages change with it
 */
export function samplePage(path: string, visit: number): SampleAnswer {
  if (path === "/") return home(visit);
  if (path === "/teas/") return teaList(visit);
  if (path === "/news/") return newsList(visit);
  const tea = teas.find(({ slug }) => path === `/teas/${slug}.html`);
  if (tea !== undefined) return teaPage(tea, visit);
  const item = news[Number(/^\/news\/([1-9])\.html$/.exec(path)?.[1] ?? 0) - 1];
  if (item !== undefined) return page(item, `    <h1>${item}</h1>\n    <p><a href="/news/">More news</a></p>`);
  return lasting[path] ?? missing;
}

/**
 * The sitemap of the sample site.
 * @param origin where the site is
 */
export function sampleSitemap(origin: string): SampleAnswer {
  const paths = ["/", "/teas/", "/news/", "/about.html", "/delivery.html", "/contact.html"];
  const urls = [...paths, ...teas.map(({ slug }) => `/teas/${slug}.html`)];
  return {
    status: 200,
    contentType: "application/xml",
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.map((path) => `  <url><loc>${origin}${path}</loc></url>`).join("\n")}\n</urlset>\n`,
  };
}
