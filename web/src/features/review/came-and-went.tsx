import type { LifecycleEntry, LifecycleKind } from "@web-tester/contracts/entities/lifecycle";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { cameAndWentQuery } from "../../api/watch-queries.js";
import { lifecycleWords } from "../../ui/format/lifecycle-words.js";
import { formatCount, pathOf } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { type KindShown, shareLines } from "./share-lines.js";
import classes from "./review.module.css";

/** How many pages are shown. */
const linesMax = 10;

/** Lists the pages that came, went or moved between the previous fetch and this one; nothing where there are none. */
export function CameAndWent({ runId, objectId }: { runId: string; objectId: string }) {
  const { items, counts } = useQuery(cameAndWentQuery(objectId, runId)).data ?? { items: [] };
  if (items.length === 0) return null;
  const kinds = shareLines(items, counts ?? {}, linesMax);
  const listOf = (kind?: LifecycleKind) =>
    `/objects/${objectId}/lifecycle?${new URLSearchParams({ ...(kind !== undefined && { kind }), review: runId }).toString()}`;
  return (
    <Card
      title={t("Pages that came and went")}
      aside={kinds.map(({ kind, total }) => `${t(lifecycleWords[kind])} ${formatCount(total)}`).join(", ")}
    >
      <ul className={classes["lives"]} aria-label={t("Pages that came and went")}>
        {kinds.flatMap(({ kind, shown, total }: KindShown) => [
          ...shown.map((item) => <Life key={item.id} item={item} />),
          ...(total > shown.length
            ? [
                <li key={kind}>
                  <span className="label">{t(lifecycleWords[kind])}</span>{" "}
                  <Link className={`link ${classes["lived"]}`} to={listOf(kind)}>
                    {t("{count} more", { count: formatCount(total - shown.length) })}
                  </Link>
                </li>,
              ]
            : []),
        ])}
      </ul>
      {kinds.some(({ shown, total }) => total > shown.length) && (
        <Link className={`link ${classes["lived"]}`} to={listOf()}>
          {t("All pages that came and went")}
        </Link>
      )}
    </Card>
  );
}

function Life({ item }: { item: LifecycleEntry }) {
  return (
    <li>
      <span className="label">{t(lifecycleWords[item.kind])}</span>{" "}
      <Link className={`link ${classes["lived"]}`} to={`/instances/${item.instance.id}`}>
        {pathOf(item.url)}
      </Link>
      {item.to_url !== null && ` → ${pathOf(item.to_url)}`}
      {item.said !== "" && <span className="text-2">, {item.said}</span>}
    </li>
  );
}
