import type { SearchSummary } from "@web-tester/contracts/entities/search";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { type Search, type SearchNews, searchQuery, searchSummaryQuery } from "../../api/search.js";
import { Empty, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { rich, t } from "../../texts/text.js";
import { EndOfList } from "./end-of-list.js";
import { groupResults } from "./group-results.js";
import { ResultList } from "./result-list.js";
import { Unsearched } from "./unsearched.js";
import classes from "./search.module.css";

/** Shows the snapshots that contain the phrase: early results while the search goes on, then all of them page by page. */
export function Results({ search, siteUrl }: { search: Search; siteUrl: string | undefined }) {
  const { query, news, pages } = useFound(search);
  const summary = useQuery(searchSummaryQuery(search, query.data !== undefined)).data;
  const first = query.data?.pages[0];
  const list = <ResultList pages={pages} q={search.q} scope={search.scope} siteUrl={siteUrl} />;

  if (query.isPending)
    return (
      <section aria-label={t("Results")} aria-busy="true">
        <Progress progress={news.progress} />
        {pages.length > 0 ? list : <Skeletons />}
      </section>
    );
  return (
    <section aria-label={t("Results")}>
      {first?.partial != null && (
        <div className={classes["message"]}>
          <InlineError tone="changed" title={t("Not everything was searched")} detail={first.partial} />
        </div>
      )}
      {pages.length === 0 ? (
        <Nothing search={search} error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <p className={classes["sum"]} role="status">
            <span>
              <Sum summary={summary} search={search} pages={pages.length} isAll={!query.hasNextPage} />
              {first !== undefined && <span className="text-2">{`, ${t("{ms} ms", { ms: first.elapsedMs })}`}</span>}
            </span>
            <span className="label">{t("By address, latest snapshot first")}</span>
          </p>
          {list}
          <EndOfList query={query} count={pages.length} />
        </>
      )}
    </section>
  );
}

/** Loads the results: early ones while the search goes on, then all. */
function useFound(search: Search) {
  const [news, setNews] = useState<{ progress?: SearchNews; early?: SearchNews }>({});
  const query = useInfiniteQuery(searchQuery(search, (item) => setNews((now) => ({ ...now, [item.type]: item }))));
  const { error } = query;
  useEffect(() => {
    if (error !== null) console.error("The search failed", error);
  }, [error]);
  const pages = useMemo(() => {
    const early = news.early?.type === "early" ? news.early.items : [];
    return groupResults(query.data?.pages.flatMap((page) => page.items) ?? early);
  }, [query.data, news.early]);
  return { query, news, pages };
}

function Progress({ progress }: { progress: SearchNews | undefined }) {
  return (
    <p className={classes["sum"]} role="status">
      <span>
        {t("Searching...")}
        {progress?.type === "progress" && (
          <span className="text-2">
            {" "}
            {t("{searched} of {versions}", {
              searched: progress.searched,
              versions: counted(progress.total, "page version"),
            })}
          </span>
        )}
      </span>
    </p>
  );
}

function Skeletons() {
  return (
    <Waiting words="">
      <RowSkeletons count={4} height={92} />
    </Waiting>
  );
}

interface NothingProps {
  search: Search;
  /** Why nothing could be looked for. */
  error: Error | null;
  onRetry: () => void;
}

function Nothing({ search: { q, idx }, error, onRetry }: NothingProps) {
  const shown = { q: q.slice(0, 200) };
  if (error !== null) return <Unsearched error={error} onRetry={onRetry} />;
  return (
    <Empty title={t("No results found")}>
      {idx === undefined
        ? t("Nothing in any snapshot matches “{q}”.", shown)
        : t("Nothing in these snapshots matches “{q}”.", shown)}
    </Empty>
  );
}

interface SumProps {
  summary: SearchSummary | undefined;
  search: Search;
  /** How many pages are shown already, while the others have not been counted. */
  pages: number;
  /** Whether these are all. */
  isAll: boolean;
}

function Sum({ summary, search, pages, isAll }: SumProps) {
  if (summary === undefined)
    return <b>{isAll ? counted(pages, "page") : t("{pages} so far", { pages: counted(pages, "page") })}</b>;
  return (
    <>
      {rich("{matches} on {count} of {pages}", {
        matches: <b>{counted(summary.matches, "match", "matches")}</b>,
        count: summary.instances,
        pages: counted(summary.instancesTotal, "page"),
      })}
      {search.idx === undefined && t(", in {snapshots}", { snapshots: counted(summary.snapshots, "snapshot") })}
    </>
  );
}
