import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { collectChangedFiles } from "@web-tester/records/changes/files-of-change";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { file, png } from "../support/asset-site.js";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** A page also counts as changed if one of its files changes, or a fact such as its status, a header or its redirect, even if its HTML is the same. */
describe("changes beside the HTML", () => {
  let product: Product;
  let site: Site;
  let objectId: string;
  const startedAt = new Date();
  const page = (name: string, files: string) =>
    `<!doctype html><html><head><title>${name}</title>${files}</head><body><h1>${name}</h1></body></html>`;
  const styled = '<link rel="stylesheet" href="/site.css">';

  beforeAll(async () => {
    [product, site] = await Promise.all([shareProduct(), startSite({})]);
    site.pages.set("/", page("home", `${styled}`));
    site.pages.set("/a.html", page("a", `${styled}`).replace("</h1>", "</h1><img src=/hero.png>"));
    site.pages.set("/plain.html", page("plain", ""));
    site.pages.set("/site.css", file("text/css", "header { background: #234 }\n"));
    site.pages.set("/hero.png", file("image/png", png(2, 2, 0x112233)));
    objectId = await register(product, site.url);
    await product.db.query(
      `INSERT INTO test_instance (test_object_id, url, name) SELECT $1, url, url FROM unnest($2::text[]) AS url`,
      [objectId, ["", "a.html", "plain.html"].map((path) => site.url + path)],
    );
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });

  /** Fetches all pages. @returns the newest snapshot of each, by path */
  async function fetchAgain(): Promise<Map<string, TestSnapshotSummary>> {
    await fetchAll(product, objectId);
    const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: {} });
    const found = new Map<string, TestSnapshotSummary>();
    for (const { id, url } of items) {
      const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id }, query: {} });
      const [newest] = testsnapshots;
      if (newest !== undefined) found.set(new URL(url).pathname, newest);
    }
    return found;
  }

  const summary = (snapshots: Map<string, TestSnapshotSummary>) =>
    Object.fromEntries(
      [...snapshots].map(([path, { change, files_changed: files, facts_changed: facts, lines_added: lines }]) => [
        path,
        [change, lines, files, facts.join(" ")],
      ]),
    );

  test("files and facts that stay are no change", async () => {
    expect(summary(await fetchAgain())).toMatchObject({ "/": ["first", 0, 0, ""], "/a.html": ["first", 0, 0, ""] });
    const unchanged = ["unchanged", 0, 0, ""];
    expect(summary(await fetchAgain())).toEqual({ "/": unchanged, "/a.html": unchanged, "/plain.html": unchanged });
  });

  test("a changed stylesheet changes every page that needs it, and no other", async () => {
    site.pages.set("/site.css", file("text/css", "header { background: navy }\n"));
    const found = await fetchAgain();
    const changed = ["changed", 0, 1, ""];
    expect(summary(found)).toEqual({ "/": changed, "/a.html": changed, "/plain.html": ["unchanged", 0, 0, ""] });
    const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: {} });
    expect(items.map(({ url, files_changed: files }) => [new URL(url).pathname, files])).toEqual([
      ["/", 1],
      ["/a.html", 1],
      ["/plain.html", 0],
    ]);
    const { id: b, compared_with: a } = found.get("/a.html") ?? {};
    const whole = await product.rest.call("getTestSnapshot", { params: { id: b ?? "" }, query: {} });
    expect(whole).toMatchObject({
      changed_files: [{ change: "changed", url: `${site.url}site.css`, kind: "stylesheet" }],
    });
    const refs = { a: a ?? "", b: b ?? "" };
    const beside = await product.rest.call("getDiffBeside", { query: refs });
    expect(beside).toMatchObject({
      facts: [],
      files_compared: true,
      files: [{ url: `${site.url}site.css`, is_text: true, before_bytes: 28, after_bytes: 28 }],
    });
    const diff = await product.rest.call("getFileDiff", { query: { ...refs, url: `${site.url}site.css` } });
    expect(diff.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`))).toEqual([
      "removed header { background: #234 }",
      "added header { background: navy }",
    ]);
  });

  test("pages that changed with the same files share a list of them, which is collected when no change has it", async () => {
    const lists = async () => product.db.query<{ n: number }>("SELECT count(*)::int AS n FROM changed_files");
    const [before] = await lists();
    expect(
      await product.db.query(
        "SELECT DISTINCT files_digest FROM change WHERE files_digest IS NOT NULL AND snapshot_id IN (SELECT last_snapshot_id FROM test_instance)",
      ),
    ).toHaveLength(1);
    await product.db.query("INSERT INTO changed_files (test_object_id, digest, files) VALUES ($1, 'orphan', '[]')", [
      objectId,
    ]);
    expect(await collectChangedFiles(product.db)).toBe(0); // the lists are too new to be collected
    await product.db.query("UPDATE changed_files SET named_at = now() - interval '10 days'");
    expect(await collectChangedFiles(product.db)).toBe(1);
    expect(await lists()).toEqual([before]);
  });

  test("the review says of a page with the same HTML what changed beside it", async () => {
    const { diffs, diffCount } = await product.rest.call("getBulkDiff", {
      params: { id: objectId },
      query: { idx1: 1, idx2: 0, html: "false" },
    });
    expect(diffCount).toBe(0);
    expect(diffs.map(({ skipReason, changedBeside }) => [skipReason, changedBeside])).toEqual([
      ["The HTML is identical; beside it changed 1 file", true],
      ["The HTML is identical; beside it changed 1 file", true],
      ["Identical: both snapshots hold the same", false],
    ]);
  });

  test("the way of a changed file is told: how many pages changed with it, and which need it", async () => {
    const params = { id: objectId };
    const changed = await product.rest.call("listChangedFiles", { params, query: { since: startedAt.toISOString() } });
    expect(changed).toMatchObject({ total: 1, items: [{ url: `${site.url}site.css`, change: "changed", pages: 2 }] });
    const hash = changed.items[0]?.after ?? "";
    const first = await product.rest.call("listPagesOfFile", { params, query: { hash, limit: 1 } });
    expect(first.items.map(({ url }) => url)).toEqual([site.url]);
    const cursor = first.nextCursor ?? "";
    const rest = await product.rest.call("listPagesOfFile", { params, query: { hash, limit: 1, cursor } });
    expect(rest).toEqual({ items: [expect.objectContaining({ url: `${site.url}a.html` })], nextCursor: null });
  });

  test("a picture is no text, and a file that is the same cannot be compared", async () => {
    site.pages.set("/hero.png", file("image/png", png(2, 2, 0x445566)));
    const found = await fetchAgain();
    expect(summary(found)).toMatchObject({ "/": ["unchanged", 0, 0, ""], "/a.html": ["changed", 0, 1, ""] });
    const { id, compared_with: before } = found.get("/a.html") ?? {};
    const refs = { a: before ?? "", b: id ?? "" };
    const { files } = await product.rest.call("getDiffBeside", { query: refs });
    expect(files).toMatchObject([{ url: `${site.url}hero.png`, is_text: false, after_address: expect.any(String) }]);
    await expect(product.rest.call("getFileDiff", { query: { ...refs, url: `${site.url}hero.png` } })).rejects.toThrow(
      "cannot be compared as text",
    );
    await expect(product.rest.call("getFileDiff", { query: { ...refs, url: `${site.url}site.css` } })).rejects.toThrow(
      "differs between these two snapshots",
    );
  });

  test("a page whose title changed is called by the new one, without another crawl", async () => {
    const named = async () => {
      const query = { q: "plain" };
      return (await product.rest.call("listTestInstances", { params: { id: objectId }, query })).items[0]?.name;
    };
    const title = "Plain & simple ".repeat(20).trim();
    site.pages.set("/plain.html", page(title.replaceAll("&", "&amp;"), ""));
    expect(summary(await fetchAgain())).toMatchObject({ "/plain.html": ["changed", 1, 0, "title"] });
    expect(await named()).toBe(`${title.slice(0, 199)}…`);
    site.pages.set("/plain.html", page("plain", ""));
    await fetchAgain();
    expect(await named()).toBe("plain");
  });

  test("a script of the site's own is a file, kept as a text that no browser runs", async () => {
    const script = (text: string) => file("text/javascript", text);
    site.pages.set("/app.js", script("let price = 1;\n"));
    site.pages.set(
      "/a.html",
      page("a", `${styled}<script src="/app.js"></script>`).replace("</h1>", "</h1><img src=/hero.png>"),
    );
    await fetchAgain();
    site.pages.set("/app.js", script("let price = 2;\n"));
    const found = await fetchAgain();
    expect(summary(found)).toMatchObject({ "/": ["unchanged", 0, 0, ""], "/a.html": ["changed", 0, 1, ""] });
    const { id, compared_with: before } = found.get("/a.html") ?? {};
    const refs = { a: before ?? "", b: id ?? "" };
    const { files } = await product.rest.call("getDiffBeside", { query: refs });
    expect(files).toMatchObject([{ change: "changed", url: `${site.url}app.js`, kind: "script", is_text: true }]);
    const diff = await product.rest.call("getFileDiff", { query: { ...refs, url: `${site.url}app.js` } });
    expect(diff.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`))).toEqual([
      "removed let price = 1;",
      "added let price = 2;",
    ]);
    const stored = await fetch(product.address + (files[0]?.after_address ?? ""));
    expect(await stored.text()).toBe("let price = 2;\n");
    const served = ["content-type", "x-content-type-options", "content-disposition"].map((name) =>
      stored.headers.get(name),
    );
    expect(served).toEqual(["text/plain; charset=utf-8", "nosniff", expect.stringContaining("attachment")]);
    const shown = await (await fetch(`${product.address}/api/testsnapshots/${id}/render`)).text();
    expect(shown).not.toContain("app.js");
  });

  test("scripts that are not kept any more are no change, nor are they when they are kept again", async () => {
    const keep = (keepScripts: "none" | "own") =>
      product.rest.call("updateTestObject", { params: { id: objectId }, body: { keep_scripts: keepScripts } });
    await keep("none");
    expect(summary(await fetchAgain())).toMatchObject({ "/a.html": ["unchanged", 0, 0, ""] });
    await keep("own");
    const found = await fetchAgain();
    expect(summary(found)).toMatchObject({ "/a.html": ["unchanged", 0, 0, ""] });
    const assets = await product.rest.call("getTestSnapshot", {
      params: { id: found.get("/a.html")?.id ?? "" },
      query: { _action: "assets" },
    });
    expect(assets).toEqual(expect.arrayContaining([expect.objectContaining({ kind: "script", content_len: 15 })]));
  });

  test("a file that its server says is gone is told, and told again when it is back; a fault of the server is not", async () => {
    const hero = site.pages.get("/hero.png") ?? "";
    const answers = (status: number) => (_request: unknown, response: ServerResponse) =>
      void response.writeHead(status).end();
    const told = async () => {
      const newest = (await fetchAgain()).get("/a.html");
      const whole = await product.rest.call("getTestSnapshot", { params: { id: newest?.id ?? "" }, query: {} });
      if (Array.isArray(whole)) throw new Error("no snapshot");
      return whole.changed_files.map(({ change, url }) => `${change} ${new URL(url).pathname}`);
    };
    site.pages.set("/hero.png", answers(404));
    expect(await told()).toEqual(["missing /hero.png"]);
    expect(await told()).toEqual([]);
    site.pages.set("/hero.png", hero);
    expect(await told()).toEqual(["back /hero.png"]);
    site.pages.set("/hero.png", answers(500));
    expect(await told()).toEqual([]);
    site.pages.set("/hero.png", hero);
    expect(await told()).toEqual([]);
  });

  test("status, headers, redirect target, title and canonical address are changes of their own", async () => {
    site.pages.set("/", (_request, response) => {
      const headers = { "content-type": "text/html; charset=utf-8", "x-robots-tag": "noindex" };
      response
        .writeHead(203, { ...headers, "content-security-policy": "default-src 'self'" })
        .end(page("home", styled));
    });
    site.pages.set(
      "/plain.html",
      (_request, response) => void response.writeHead(302, { location: "/moved.html" }).end(),
    );
    site.pages.set("/moved.html", page("moved", '<link rel="canonical" href="/moved.html">'));
    const found = await fetchAgain();
    expect(summary(found)).toEqual({
      "/": ["changed", 0, 0, "status csp x_robots_tag"],
      "/a.html": ["unchanged", 0, 0, ""],
      "/plain.html": ["changed", 1, 0, "redirect title canonical"],
    });
    const { id, compared_with: before } = found.get("/plain.html") ?? {};
    const { facts, files_compared: areFilesCompared } = await product.rest.call("getDiffBeside", {
      query: { a: before ?? "", b: id ?? "" },
    });
    expect(facts).toEqual([
      { fact: "redirect", before: null, after: `${site.url}moved.html` },
      { fact: "title", before: "plain", after: "moved" },
      { fact: "canonical", before: null, after: "/moved.html" },
    ]);
    expect(areFilesCompared).toBe(false);
  });
});
