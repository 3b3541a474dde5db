import type { ChangedFileOfObject } from "@web-tester/contracts/entities/compare";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { changedFilesQuery, type Since } from "../../api/queries.js";
import { assetName } from "../../ui/assets/asset-words.js";
import { InlineError } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { ShowMore } from "../../ui/layout/show-more.js";
import { t } from "../../texts/text.js";
import classes from "./changed-since.module.css";

/** Lists files that changed within a period, and how many pages changed with each; nothing where none did. */
export function ChangedFiles({ objectId, days }: { objectId: string; days: Since }) {
  const query = useInfiniteQuery(changedFilesQuery(objectId, days));
  const files = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const total = query.data?.pages[0]?.total ?? 0;
  if (query.isError)
    return (
      <InlineError
        title={t("The changed files could not be loaded")}
        detail={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  if (total === 0) return null;
  return (
    <Card title={t("Changed files")} aside={counted(total, "file")} flush className={classes["files"]}>
      <ul className={classes["rows"]} aria-label={t("Changed files")}>
        {files.map((file) => (
          <FileRow key={`${file.url} ${file.before} ${file.after}`} file={file} />
        ))}
      </ul>
      <ShowMore query={query} />
    </Card>
  );
}

const changeWords = {
  changed: "{pages} changed with it",
  added: "{pages} have it now",
  removed: "{pages} lost it",
  missing: "{pages} miss it",
  back: "{pages} have it again",
} as const;

function FileRow({ file }: { file: ChangedFileOfObject }) {
  const { name, place } = assetName(file.url);
  const { sample } = file;
  return (
    <li className={classes["file"]}>
      <span className={classes["names"]}>
        <span className={`mono truncate ${classes["name"]}`} title={file.url}>
          {name}
        </span>
        <span className={`mono text-2 truncate ${classes["path"]}`}>{place}</span>
      </span>
      <span>{t(changeWords[file.change], { pages: counted(file.pages, "page") })}</span>
      {sample !== null && (
        <Link
          className="link"
          to={`/diff?a=${sample.compared_with}&b=${sample.snapshot_id}`}
          title={sample.instance.url}
          aria-label={t("Compare one page that needs {name}", { name })}
        >
          {t("Compare one")}
        </Link>
      )}
    </li>
  );
}
