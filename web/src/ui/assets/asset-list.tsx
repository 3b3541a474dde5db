import { SegmentedControl, TextInput } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { SnapshotAsset } from "@web-tester/contracts/entities/snapshot";
import { IconAlertTriangleFilled, IconSearch } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";
import { formatBytes } from "../format/bytes.js";
import { usePrinting } from "../layout/use-printing.js";
import { t } from "../../texts/text.js";
import { filterAssets, type AssetFilter, assetName, assetType, countAssets } from "./asset-words.js";
import classes from "./asset-list.module.css";

/**
 * Lists the files of a snapshot with type and size, missing ones with the reason; virtualised.
 * @param isKept whether the test object keeps files
 */
export function AssetList({ assets, isKept }: { assets: readonly SnapshotAsset[]; isKept: boolean }) {
  const [text, setText] = useState("");
  const [filter, setFilter] = useState<AssetFilter>("all");
  const counts = useMemo(() => countAssets(assets), [assets]);
  const shown = useMemo(() => filterAssets(assets, filter, text), [assets, filter, text]);
  if (assets.length === 0)
    return (
      <p className={classes["none"]}>
        {isKept ? t("The page needs no other files.") : t("No files are kept with the snapshots of this test object.")}
      </p>
    );
  return (
    <div>
      <div className={classes["bar"]} data-screen-only>
        <TextInput
          size="xs"
          aria-label={t("Filter assets")}
          placeholder={t("Filter by address or type")}
          leftSection={<IconSearch size={14} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          className={classes["filter"] ?? ""}
        />
        <SegmentedControl
          size="xs"
          aria-label={t("Which assets")}
          value={filter}
          onChange={setFilter}
          data={[
            { value: "all" as const, label: t("All {total}", { total: counts.total }) },
            { value: "stored" as const, label: t("Stored {stored}", { stored: counts.stored }) },
            { value: "missing" as const, label: t("Missing {missing}", { missing: counts.missing }) },
          ]}
        />
        <span className={classes["sum"]}>{formatBytes(counts.bytes)}</span>
      </div>
      {shown.length === 0 ? <p className={classes["none"]}>{t("No results found")}</p> : <Rows assets={shown} />}
    </div>
  );
}

function Rows({ assets }: { assets: readonly SnapshotAsset[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: assets.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (assets[index]?.error === null ? 44 : 62),
    overscan: 10,
  });
  const printing = usePrinting();
  const drawn = printing
    ? assets.map((_, index) => ({ key: index, index, start: undefined }))
    : virtualizer.getVirtualItems();
  return (
    <div
      ref={scroller}
      className={classes["view"]}
      data-printed={printing || undefined}
      tabIndex={0}
      role="region"
      aria-label={t("Assets")}
    >
      <ul style={{ height: printing ? "auto" : virtualizer.getTotalSize() }} className={classes["rows"]}>
        {drawn.map((item) => {
          const asset = assets[item.index];
          if (asset === undefined) return null;
          return (
            <li
              key={asset.id}
              data-index={item.index}
              ref={item.start === undefined ? undefined : virtualizer.measureElement}
              className={classes["row"]}
              style={item.start === undefined ? { position: "static" } : { transform: `translateY(${item.start}px)` }}
            >
              <AssetRow asset={asset} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function AssetRow({ asset }: { asset: SnapshotAsset }) {
  const { name, place } = assetName(asset.url);
  return (
    <>
      <span className={classes["what"]}>
        {asset.address === null ? (
          <span className={`mono ${classes["name"]}`} title={asset.url}>
            {name}
          </span>
        ) : (
          <a
            className={`mono ${classes["name"]}`}
            href={asset.address}
            target="_blank"
            rel="noopener noreferrer"
            title={asset.url}
          >
            {name}
          </a>
        )}
        <span className={`mono ${classes["place"]}`}>{place}</span>
        {asset.error !== null && (
          <span className={classes["reason"]}>
            <IconAlertTriangleFilled size={13} aria-hidden />{" "}
            {asset.address === null ? t("Missing: {error}", { error: asset.error }) : asset.error}
          </span>
        )}
      </span>
      <span className={classes["type"]}>{assetType(asset)}</span>
      <span className={`mono ${classes["size"]}`}>{asset.address !== null ? formatBytes(asset.content_len) : "-"}</span>
    </>
  );
}
