import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { ApiError, messageOf } from "../../api/api-error.js";
import { auditQuery } from "../../api/access-queries.js";
import { ShowMore } from "../../ui/layout/show-more.js";
import { t } from "../../texts/text.js";
import { useAddressParams } from "../../ui/address-params.js";
import { Empty, EndLine, InlineError, RowSkeletons } from "../../ui/feedback/states.js";
import { Card } from "../../ui/layout/card.js";
import { Crumbs, Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { auditQueryOf, type ChangesAddress, readChangesAddress, writeChangesAddress } from "./changes-address.js";
import { ChangesFilter } from "./changes-filter.js";
import { ChangeRow } from "./change-row.js";
import { ExportMenu } from "./export-menu.js";
import rowClasses from "../../ui/layout/rows.module.css";

/** The page of who changed what: every call that changed something or tried to, newest first. */
export function ChangesPage() {
  usePageMeta(t("Who changed what"), t("Every change on this server, and who made it."), "/access/changes");
  const [search, changeAddress] = useAddressParams();
  const address = readChangesAddress(search);
  const filter = auditQueryOf(address);
  const query = useInfiniteQuery(auditQuery(filter));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = Object.values(address).some((value) => value !== "");
  const choose = (change: Partial<ChangesAddress>) =>
    changeAddress((now) => writeChangesAddress(now, change), { replace: true, preventScrollReset: true });
  return (
    <Page>
      <PageHead
        above={<Crumbs items={[{ label: t("Access"), to: "/access" }, { label: t("Who changed what") }]} />}
        title={t("Who changed what")}
        below={<span className="text-2">{keptWords(query.data?.pages[0]?.days ?? 0)}</span>}
        actions={query.isSuccess && <ExportMenu filter={filter} />}
      />
      <ChangesFilter address={address} onChoose={choose} />
      {query.isPending && <RowSkeletons count={6} />}
      {query.isError && <Refused error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && (
        <Card title={t("Newest first")} flush>
          {items.length === 0 && <Nothing isFiltered={isFiltered} />}
          <ol className={rowClasses["list"]} aria-label={t("Changes")}>
            {items.map((entry) => (
              <ChangeRow key={entry.id} entry={entry} onActor={(who) => choose({ who })} />
            ))}
          </ol>
          <ShowMore query={query} />
          {!query.hasNextPage && items.length > 0 && <EndLine>{t("That is all.")}</EndLine>}
        </Card>
      )}
    </Page>
  );
}

const keptWords = (days: number) =>
  days > 0
    ? t("Every change on this server, kept for {n} day.|Every change on this server, kept for {n} days.", {
        n: days,
      })
    : t("Every change on this server, and who made it.");

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <Empty title={t("No changes yet")} />;
  return (
    <Empty title={t("No change matches this filter")}>
      <Link to="/access/changes" className="link">
        {t("Show all")}
      </Link>
    </Empty>
  );
}

function Refused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 403)
    return <Empty title={t("Only admins can see who changed what")}>{error.reason}</Empty>;
  return <InlineError title={t("The list could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />;
}
