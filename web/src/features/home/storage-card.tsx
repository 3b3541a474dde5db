import { Skeleton } from "@mantine/core";
import type { Response } from "@web-tester/contracts/api";
import { useQuery } from "@tanstack/react-query";
import { IconDatabase, IconFileText, IconPhoto } from "@tabler/icons-react";
import { Fragment } from "react";
import { messageOf } from "../../api/api-error.js";
import { statsQuery } from "../../api/queries.js";
import { useSlow } from "../../ui/feedback/states.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { lastTwoSegments } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import classes from "./home.module.css";

/** A card with the sizes of the three stores. */
export function StorageCard() {
  const stats = useQuery(statsQuery());
  const slow = useSlow(stats.isPending);
  const parts = partsOf(stats.data);
  return (
    <Card
      title={t("Storage")}
      className={classes["storage"]}
      aside={stats.isError ? <span title={messageOf(stats.error)}>{t("could not be read")}</span> : undefined}
    >
      <dl className={classes["stores"]}>
        {parts.map(({ label, icon: Glyph, bytes, note, title }) => (
          <div key={label}>
            <dt>
              <Glyph size={14} stroke={1.75} aria-hidden />
              {label}
            </dt>
            <dd className={classes["size"]}>
              {bytes === undefined && slow ? <Skeleton height={14} width={56} my={4} radius={3} /> : formatBytes(bytes)}
            </dd>
            <dd className={`mono ${classes["store"]}`} title={title}>
              {note === undefined ? " " : <Path path={note} />}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** A path that is broken behind a slash where it has no room. */
const Path = ({ path }: { path: string }) =>
  path.split("/").map((part, place) => (
    <Fragment key={place}>
      {place > 0 && (
        <>
          /<wbr />
        </>
      )}
      {part}
    </Fragment>
  ));

function partsOf(sizes: Response<"getStats"> | undefined) {
  return [
    {
      label: t("Database"),
      icon: IconDatabase,
      bytes: sizes?.db.bytes,
      note: sizes && `(${sizes.db.provider})`,
      title: sizes?.db.provider,
    },
    {
      label: t("Logs"),
      icon: IconFileText,
      bytes: sizes?.log.bytes,
      note: sizes && lastTwoSegments(sizes.log.path),
      title: sizes?.log.path,
    },
    {
      label: t("Assets"),
      icon: IconPhoto,
      bytes: sizes?.assets.bytes,
      note: sizes && lastTwoSegments(sizes.assets.path),
      title: sizes?.assets.path,
    },
  ];
}
