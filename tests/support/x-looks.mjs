import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { scanPage } from "../../services/crawler/dist/pure/scan-page.js";
for (const [pkg, dir] of [["openjdk-17-doc","usr/share/doc/openjdk-17-jre-headless"],["python3.11-doc",""],["libgtk-4-doc-bookworm",""]]) {
  const root = process.env.HOME + "/.cache/web-tester/corpus/" + pkg;
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((e) => e.isFile() && /\.html?$/.test(e.name)).map((e) => join(e.parentPath, e.name));
  const seen = new Map(); let n=0;
  for (const f of files) { const s = scanPage({ bytes: readFileSync(f), charset: "utf-8", scriptsOf: "http://x/" + f.slice(root.length) }); if (!s.scripts) continue; const k = s.scripts.kind; const idle = seen.get(k); const fresh = s.scripts.holders.filter((h) => !idle?.has(h)); if (!idle || fresh.length) { n++; console.log(pkg, n, idle ? "new holders" : "NEW KIND", k.slice(0, 6), f.slice(root.length + 15).slice(-60), fresh.slice(0, 6).join(" | ").slice(0, 160)); const set = idle ?? new Set(); for (const h of s.scripts.holders) set.add(h); seen.set(k, set); } }
}
