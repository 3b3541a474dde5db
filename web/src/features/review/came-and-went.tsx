import { lifecycleKind } from "@web-tester/contracts/entities/lifecycle";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { cameAndWentQuery } from "../../api/watch-queries.js";
import { lifecycleWords } from "../../ui/format/lifecycle-words.js";
import { pathOf } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import classes from "./review.module.css";

const shown = 10;

/** Lists the pages that came, went or moved between the previous fetch and this one; nothing where there are none. */
export function CameAndWent({ runId, objectId }: { runId: string; objectId: string }) {
  const found = useQuery(cameAndWentQuery(objectId, runId)).data;
  const items = found?.items ?? [];
  if (items.length === 0) return null;
  const counts = lifecycleKind.options
    .map((kind) => ({ kind, count: items.filter((item) => item.kind === kind).length }))
    .filter(({ count }) => count > 0);
  const words = counts.map(({ kind, count }) => `${t(lifecycleWords[kind])} ${count}`).join(", ");
  return (
    <Card
      title={t("Pages that came and went")}
      aside={found?.nextCursor === null ? words : t("{counts} and more", { counts: words })}
    >
      <ul className={classes["lives"]} aria-label={t("Pages that came and went")}>
        {items.slice(0, shown).map((item) => (
          <li key={item.id}>
            <span className="label">{t(lifecycleWords[item.kind])}</span>{" "}
            <Link className={`link ${classes["lived"]}`} to={`/instances/${item.instance.id}`}>
              {pathOf(item.url)}
            </Link>
            {item.to_url !== null && ` → ${pathOf(item.to_url)}`}
            {item.said !== "" && <span className="text-2">, {item.said}</span>}
          </li>
        ))}
      </ul>
      {(items.length > shown || found?.nextCursor !== null) && (
        <Link className={`link ${classes["lived"]}`} to={`/objects/${objectId}/lifecycle`}>
          {t("All pages that came and went")}
        </Link>
      )}
    </Card>
  );
}
