import { Skeleton } from "@mantine/core";
import type { TestSnapshot } from "@web-tester/contracts/entities/snapshot";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { snapshotAssetsQuery } from "../../api/queries.js";
import { AssetList } from "../../ui/assets/asset-list.js";
import { InlineError, useSlow } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { FoldCard } from "../../ui/layout/fold-card.js";
import { t } from "../../texts/text.js";
import classes from "./snapshot.module.css";

/**
 * A card with the files of a snapshot, collapsed at first and loaded when opened.
 * @param whole keeps it open, for printing
 */
export function AssetCard({ snapshot, whole }: { snapshot: TestSnapshot; whole: boolean }) {
  const [isWanted, setWanted] = useState(false);
  const wanted = isWanted || whole;
  const query = useQuery({ ...snapshotAssetsQuery(snapshot.id), enabled: wanted });
  const slow = useSlow(wanted && query.isPending);
  return (
    <FoldCard
      title={t("Assets")}
      note={() => assetCount(snapshot)}
      onOpen={() => setWanted(true)}
      whole={whole}
      className={classes["card"]}
    >
      <div className={classes["folded"]}>
        {query.isError && (
          <InlineError
            title={t("Failed to load assets")}
            detail={messageOf(query.error)}
            onRetry={() => void query.refetch()}
          />
        )}
        {slow && <Skeleton height={160} radius={6} aria-label={t("Loading assets…")} />}
        {query.data !== undefined && <AssetList assets={query.data} isKept={snapshot.testobject.asset_snapshots} />}
      </div>
    </FoldCard>
  );
}

function assetCount({ assets_total, assets_missing }: TestSnapshot): string {
  if (assets_total === 0) return t("None stored");
  return assets_missing === 0
    ? counted(assets_total, "file")
    : t("{files}, {missing} missing", { files: counted(assets_total, "file"), missing: assets_missing });
}
