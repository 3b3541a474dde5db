import { Collapse, Skeleton } from "@mantine/core";
import type { TestSnapshot } from "@web-tester/contracts/entities";
import { useQuery } from "@tanstack/react-query";
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { snapshotAssetsQuery } from "../../api/queries.js";
import { AssetList } from "../../ui/assets/asset-list.js";
import { InlineError, useSlow } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import classes from "./snapshot.module.css";

/** The files of a snapshot, closed at first and read when it is opened. */
export function AssetCard({ snapshot }: { snapshot: TestSnapshot }) {
  const [opened, setOpened] = useState(false);
  const [wanted, setWanted] = useState(false);
  const panel = useId();
  const query = useQuery({ ...snapshotAssetsQuery(snapshot.id), enabled: wanted });
  const slow = useSlow(wanted && query.isPending);
  return (
    <Card className={classes["card"]} flush>
      <button
        type="button"
        className={classes["fold"]}
        aria-expanded={opened}
        aria-controls={panel}
        onClick={() => {
          setWanted(true);
          setOpened(!opened);
        }}
      >
        <IconChevronRight size={16} aria-hidden data-opened={opened || undefined} />
        <span>Assets</span>
        <span className={classes["foldNote"]}>{assetCount(snapshot)}</span>
      </button>
      <Collapse expanded={opened} id={panel}>
        <div className={classes["folded"]}>
          {query.isError && (
            <InlineError
              title="Failed to load assets"
              detail={messageOf(query.error)}
              onRetry={() => void query.refetch()}
            />
          )}
          {slow && <Skeleton height={160} radius={6} aria-label="Loading assets…" />}
          {query.data !== undefined && <AssetList assets={query.data} isKept={snapshot.testobject.asset_snapshots} />}
        </div>
      </Collapse>
    </Card>
  );
}

function assetCount({ assets_total, assets_missing }: TestSnapshot): string {
  if (assets_total === 0) return "None stored";
  return assets_missing === 0
    ? counted(assets_total, "file")
    : `${counted(assets_total, "file")}, ${assets_missing} missing`;
}
