import type { SearchResult, SearchScope } from "@web-tester/contracts/entities/search";
import { IconExternalLink } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { formatDate } from "../../ui/format/dates.js";
import { Path } from "../../ui/format/path.js";
import { counted, pathOf } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import type { PageResults } from "./group-results.js";
import { MatchLines } from "./match-lines.js";
import { snapshotAddress } from "./search-address.js";
import classes from "./search.module.css";

const othersShown = 6;

/** Lists the results, with one article per page of the site, by address. */
export function ResultList({
  pages,
  q,
  scope,
  siteUrl,
}: {
  pages: readonly PageResults[];
  q: string;
  scope: SearchScope;
  siteUrl: string | undefined;
}) {
  return (
    <div className={classes["list"]}>
      {pages.map((page) => (
        <article key={page.id} className={classes["article"]} aria-label={page.name || page.url}>
          <ArticleHead id={page.id} name={page.name} url={page.url} siteUrl={siteUrl}>
            <span className={classes["badge"]}>{counted(page.latest.matchCount, "match", "matches")}</span>
            <Link className={classes["when"]} to={snapshotAddress(page.latest.snapshotId, q, scope)} data-row>
              #{page.latest.snapshotNumber}, {formatDate(page.latest.snapshotCreatedAt)}
            </Link>
          </ArticleHead>
          <MatchLines result={page.latest} q={q} scope={scope} />
          {page.others.length > 0 && <Others others={page.others} q={q} scope={scope} />}
        </article>
      ))}
    </div>
  );
}

/** The head of an article: name and path of a page with a link to it, and further words. */
export function ArticleHead({
  id,
  name,
  url,
  siteUrl,
  children,
}: {
  id: string;
  name: string;
  url: string;
  siteUrl: string | undefined;
  children: React.ReactNode;
}) {
  return (
    <header className={classes["head"]}>
      <h2 className={classes["name"]}>{name || url || id}</h2>
      <Path path={pathOf(url, siteUrl)} title={url} className={`text-2 ${classes["path"]}`} />
      <span className={classes["facts"]}>
        {children}
        <a className={`link ${classes["view"]}`} href={`/instances/${id}`} target="_blank" rel="noopener noreferrer">
          {t("View Instance")}
          <IconExternalLink size={14} aria-hidden />
          <span className="sr-only">{t("(opens in a new tab)")}</span>
        </a>
      </span>
    </header>
  );
}

function Others({ others, q, scope }: { others: readonly SearchResult[]; q: string; scope: SearchScope }) {
  const [all, setAll] = useState(false);
  const shown = all ? others : others.slice(0, othersShown);
  return (
    <div className={classes["others"]}>
      <span className="label">{t("Also in")}</span>
      {shown.map((result) => (
        <Link
          key={result.snapshotId}
          to={snapshotAddress(result.snapshotId, q, scope)}
          className={classes["other"]}
          title={`${formatDate(result.snapshotCreatedAt)}, ${counted(result.matchCount, "match", "matches")}`}
        >
          <span>
            #{result.snapshotNumber} <span className="text-3">{formatDate(result.snapshotCreatedAt)}</span> ·{" "}
            {counted(result.matchCount, "match", "matches")}
          </span>
        </Link>
      ))}
      {others.length > shown.length && (
        <button type="button" className={classes["more"]} onClick={() => setAll(true)}>
          {t("{count} more", { count: others.length - shown.length })}
        </button>
      )}
    </div>
  );
}
