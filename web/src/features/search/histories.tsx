import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Search, searchHistoryQuery } from "../../api/search.js";
import { Empty, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { rich, t } from "../../texts/text.js";
import { EndOfList } from "./end-of-list.js";
import { HistoryList } from "./history-list.js";
import { Unsearched } from "./unsearched.js";
import classes from "./search.module.css";

/** Shows when the phrase appeared and disappeared, page by page. */
export function Histories({ search, siteUrl }: { search: Search; siteUrl: string | undefined }) {
  const query = useInfiniteQuery(searchHistoryQuery(search));
  const { error } = query;
  useEffect(() => {
    if (error !== null) console.error("The search failed", error);
  }, [error]);
  if (query.isPending) return <Searching />;
  const pages = query.data?.pages.flatMap((page) => page.items) ?? [];
  const partial = query.data?.pages[0]?.partial ?? null;
  return (
    <section aria-label={t("Results")}>
      {partial !== null && (
        <div className={classes["message"]}>
          <InlineError tone="changed" title={t("Not everything was searched")} detail={partial} />
        </div>
      )}
      {pages.length === 0 && error !== null ? (
        <Unsearched error={error} onRetry={() => void query.refetch()} />
      ) : pages.length === 0 ? (
        <Empty title={t("No results found")}>
          {t("“{q}” was never on any of the pages.", { q: search.q.slice(0, 200) })}
        </Empty>
      ) : (
        <>
          <p className={classes["sum"]} role="status">
            <Sum pages={pages.length} hasMore={query.hasNextPage} />
            <span className="label">{t("By address")}</span>
          </p>
          <HistoryList pages={pages} q={search.scope === "html" ? search.q : ""} siteUrl={siteUrl} />
          <EndOfList query={query} count={pages.length} />
        </>
      )}
    </section>
  );
}

function Searching() {
  return (
    <section aria-label={t("Results")} aria-busy="true">
      <p className={classes["sum"]} role="status">
        {t("Searching...")}
      </p>
      <Waiting words="">
        <RowSkeletons count={4} height={92} />
      </Waiting>
    </section>
  );
}

/** Says on how many of the pages loaded so far it was. */
function Sum({ pages, hasMore }: { pages: number; hasMore: boolean }) {
  return (
    <span>
      {rich("{pages} had this text at some time", {
        pages: <b>{hasMore ? t("{pages} so far", { pages: counted(pages, "page") }) : counted(pages, "page")}</b>,
      })}
    </span>
  );
}
