import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { LoginStep } from "@web-tester/contracts/login-steps";
import { file, png } from "../support/asset-site.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** Pages behind a site's login are stored as a signed-in member sees them. */
describe("a login by recorded steps", () => {
  const password = "geheim-Wort-9";
  let product: Product;
  let site: Site;
  const sessions = new Set<string>();
  let logins = 0;
  /** How many more requests the session is valid for; after them it expires. */
  let left = Infinity;

  function member(request: IncomingMessage): string | null {
    const token = /(?:^|; )sid=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    if (!sessions.has(token)) return null;
    left -= 1;
    if (left >= 0) return token;
    sessions.delete(token);
    left = Infinity;
    return null;
  }
  const guarded =
    (title: string, body: string) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      if (member(request) === null)
        return void response.writeHead(302, { location: `/login?next=${request.url}` }).end();
      const headers = { "content-type": "text/html", "set-cookie": "rolled=geheim; Path=/" };
      response.writeHead(200, headers).end(`<!doctype html><title>${title}</title>${body}`);
    };
  const loginForm = `<!doctype html><title>Sign in</title><form method="post" action="/login"><input name="user"><input name="password" type="password"><button>Go</button></form>`;

  function login(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== "POST") return void response.writeHead(200, { "content-type": "text/html" }).end(loginForm);
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const form = new URLSearchParams(text);
      if (form.get("user") !== "anna" || form.get("password") !== password)
        return void response.writeHead(200, { "content-type": "text/html" }).end(`<p id="wrong">Wrong</p>${loginForm}`);
      logins += 1;
      const token = `t${logins}`;
      sessions.add(token);
      response.writeHead(303, { location: "/", "set-cookie": `sid=${token}; Path=/; HttpOnly; SameSite=Lax` }).end();
    });
  }

  beforeAll(async () => {
    [product, site] = await Promise.all([shareProduct(), startSite({})]);
    const links = '<h1 id="hello">Hello anna</h1><a href="/a">A</a><a href="/b">B</a><img src="/mine.png">';
    site.pages.set("/", guarded("Home", links));
    for (const name of ["a", "b"])
      site.pages.set(
        `/${name}`,
        guarded(name, `<p>Secret of ${name}</p><script>if (localStorage.theme) document.title = "dark"</script>`),
      );
    site.pages.set("/mine.png", (request, response) =>
      member(request) === null
        ? void response.writeHead(403).end()
        : file("image/png", png(2, 2, 0x112233)) instanceof Function &&
          void response.writeHead(200, { "content-type": "image/png" }).end(png(2, 2, 0x112233)),
    );
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });

  // the site looks up its pages by path and query, so the login page is registered with each query
  const asLogin = () => {
    for (const next of ["", "?next=/", "?next=/a", "?next=/b"]) site.pages.set(`/login${next}`, login);
  };
  const steps = (secret: string | undefined = password): LoginStep[] => [
    { do: "open", url: `${site.url}login` },
    { do: "fill", selector: "[name=user]", value: "anna" },
    { do: "fill", selector: "[name=password]", ...(secret === undefined ? {} : { value: secret }) },
    { do: "click", selector: "button" },
    { do: "wait", selector: "#hello" },
  ];

  async function object(mode: "http" | "browser", given = steps()) {
    asLogin();
    const id = await register(product, site.url, `Members ${mode}`);
    const shown = await product.rest.call("updateTestObject", {
      params: { id },
      body: { fetch_mode: mode, login_steps: given },
    });
    return { id, shown };
  }

  async function titles(id: string): Promise<string[]> {
    const rows = await product.db.query<{ name: string; state: string; error: string | null }>(
      `SELECT i.url AS name, s.state, s.error FROM test_instance i JOIN test_snapshot s ON s.id = i.last_snapshot_id WHERE i.test_object_id = $1 ORDER BY i.url`,
      [id],
    );
    return rows.map(
      ({ name, state, error }) => `${new URL(name).pathname} ${state}${error === null ? "" : ` ${error}`}`,
    );
  }

  test.each(["http", "browser"] as const)(
    "%s: a crawl and a fetch sign in once each, and all pages and files are the member's",
    async (mode) => {
      const { id } = await object(mode);
      const before = logins;
      await crawl(product, id);
      expect(logins - before).toBe(1);
      expect(await fetchAll(product, id)).toMatchObject({ total: 3, failed: 0 });
      expect(logins - before).toBe(2);
      expect(await titles(id)).toEqual(["/ done", "/a done", "/b done"]);
      const [home] = await product.db.query<{ id: string }>(
        "SELECT last_snapshot_id AS id FROM test_instance WHERE test_object_id = $1 AND url = $2",
        [id, site.url],
      );
      const snapshot = await product.rest.call("getTestSnapshot", { params: { id: home?.id ?? "" }, query: {} });
      expect(JSON.parse("headers" in snapshot ? snapshot.headers : "{}")).toMatchObject({
        "set-cookie": expect.stringMatching(/^rolled=\*{3}; Path=\//),
      });
      expect(snapshot).toMatchObject({
        html: expect.stringContaining("Hello anna"),
        assets_total: 1,
        assets_missing: 0,
      });
    },
  );

  test.each(["http", "browser"] as const)(
    "%s: a session that ran out is renewed once, and no login page is kept",
    async (mode) => {
      const { id } = await object(mode);
      await crawl(product, id);
      const before = logins;
      left = mode === "http" ? 2 : 4;
      expect(await fetchAll(product, id)).toMatchObject({ total: 3, failed: 0 });
      left = Infinity;
      expect(logins - before).toBe(2);
      const kept = await product.db.query(
        "SELECT 1 FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 AND s.final_url LIKE '%/login%' AND s.state = 'done'",
        [id],
      );
      expect(kept).toEqual([]);
    },
  );

  test.each(["http", "browser"] as const)("%s: a crawl that comes by the way out signs in again", async (mode) => {
    const { id } = await object(mode);
    const out = (request: IncomingMessage, response: ServerResponse) => {
      const token = /(?:^|; )sid=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
      sessions.delete(token);
      response.writeHead(302, { location: "/login" }).end();
    };
    // the logout link is found before the pages that need the session
    const links = '<h1 id="hello">Hello anna</h1><a href="/logout">Out</a><a href="/a">A</a><a href="/b">B</a>';
    const [home] = [site.pages.get("/")];
    site.pages.set("/", guarded("Home", links));
    site.pages.set("/logout", out);
    const before = logins;
    await crawl(product, id);
    if (home !== undefined) site.pages.set("/", home);
    site.pages.delete("/logout");
    const found = await product.db.query<{ url: string }>(
      "SELECT url FROM test_instance WHERE test_object_id = $1 ORDER BY url",
      [id],
    );
    expect(found.map(({ url }) => new URL(url).pathname)).toEqual(["/", "/a", "/b", "/login"]);
    // it signs in again after the logout, at most once for the logout link and for each page after it
    expect(logins - before).toBeGreaterThan(1);
    expect(logins - before).toBeLessThanOrEqual(5);
  });

  test("a login that does not work fails the pages in words, and is tried once a run", async () => {
    const { id } = await object("http", steps("wrong"));
    await product.db.query(
      "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, url, url FROM unnest($2::text[]) AS url",
      [id, [`${site.url}a`, `${site.url}b`]],
    );
    site.requests.length = 0;
    expect(await fetchAll(product, id)).toMatchObject({ total: 2, failed: 2 });
    expect((await titles(id)).join()).toMatch(
      /could not sign in at the site, step 5: Nothing that “#hello” finds could be seen/,
    );
    expect(site.requests.filter((path) => path.startsWith("/login"))).toHaveLength(2);
  });

  test("steps are tried with a picture of each, and what is filled in never comes back", async () => {
    const { id, shown } = await object("browser");
    expect(shown.login_steps).toMatchObject([
      { do: "open" },
      { do: "fill", selector: "[name=user]", value_set: true },
      { do: "fill", selector: "[name=password]", value_set: true },
      ...[{ do: "click" }, { do: "wait" }],
    ]);
    const tried = await product.rest.call("tryLogin", { params: { id } });
    expect(tried).toMatchObject({ ok: true, steps: steps().map(() => ({ ok: true, message: null })) });
    const picture = await fetch(product.address + (tried.steps[2]?.picture ?? ""));
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    const [stored] = await product.db.query("SELECT test_object::text AS text FROM test_object WHERE id = $1", [id]);
    const said = JSON.stringify([shown, tried, stored, await product.rest.call("getTestObject", { params: { id } })]);
    for (const text of [password, Buffer.from(password).toString("hex")]) expect(said).not.toContain(text);
    // a step without its value keeps the stored one
    await product.rest.call("updateTestObject", { params: { id }, body: { login_steps: steps(undefined) } });
    expect(await product.rest.call("tryLogin", { params: { id } })).toMatchObject({ ok: true });
    const wrong = { ...steps()[4], do: "wait" as const, selector: "#nowhere[" };
    await product.rest.call("updateTestObject", {
      params: { id },
      body: { login_steps: [...steps().slice(0, 4), wrong] },
    });
    expect(await product.rest.call("tryLogin", { params: { id } })).toMatchObject({
      ok: false,
      steps: expect.arrayContaining([
        expect.objectContaining({ ok: false, message: expect.stringContaining("not a CSS selector") }),
      ]),
    });
  });

  test("a form that is sent in the address does not bring back what was filled in", async () => {
    const form = '<form action="/in"><input name="user"><input name="password"><button>Go</button></form>';
    const query = `/in?${new URLSearchParams({ user: "anna", password })}`;
    site.pages.set("/get-login", `<!doctype html><title>Sign in</title>${form}`);
    site.pages.set(query, '<!doctype html><title>In</title><h1 id="hello">Hello</h1>');
    const { id } = await object("browser", [{ do: "open", url: `${site.url}get-login` }, ...steps().slice(1)]);
    const tried = await product.rest.call("tryLogin", { params: { id } });
    expect(tried).toMatchObject({ ok: true });
    expect(tried.steps.at(-1)?.url).toBe(`${site.url}in?user=***&password=***`);
    expect(site.requests).toContain(query);
  });

  test("a value that is stored for one site is filled in on no other, unless it is entered again", async () => {
    const { id, shown } = await object("http");
    const opens = (url: string, secret?: string): LoginStep[] => [{ do: "open", url }, ...steps(secret).slice(1)];
    const elsewhere = "https://other.test/login";
    for (const body of [
      { login_steps: opens(elsewhere) },
      { login_steps: [...opens(`${site.url}login`).slice(0, 2), ...opens(elsewhere)] },
      { url: "https://other.test/", login_steps: opens(elsewhere) },
    ])
      await expect(
        product.rest.call("updateTestObject", {
          params: { id },
          body: {
            ...body,
            login_steps: body.login_steps.map((step) => ({ ...step, value: undefined })) as LoginStep[],
          },
        }),
      ).rejects.toThrow("for a page of another site");
    expect(await product.rest.call("getTestObject", { params: { id } })).toMatchObject({
      url: site.url,
      login_steps: shown.login_steps,
    });
    // another page of the same site keeps the stored value, and another site is accepted if the value is entered again
    const same = await product.rest.call("updateTestObject", {
      params: { id },
      body: { login_steps: opens(`${site.url}login?next=/a`, undefined) },
    });
    expect(same.login_steps[2]).toMatchObject({ value_set: true });
    const again = await product.rest.call("updateTestObject", {
      params: { id },
      body: { login_steps: opens(elsewhere, "another-Wort") },
    });
    expect(again.login_steps[2]).toMatchObject({ value_set: true });
  });

  test("steps that do not begin by opening a page, or are none, are refused in words", async () => {
    const { id } = await object("http");
    const body = { login_steps: steps().slice(1) };
    await expect(product.rest.call("updateTestObject", { params: { id }, body })).rejects.toThrow(
      "must open the login page",
    );
    await product.rest.call("updateTestObject", { params: { id }, body: { login_steps: [] } });
    await expect(product.rest.call("tryLogin", { params: { id } })).rejects.toThrow("no login steps");
  });
});
