import { Button } from "@mantine/core";
import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link } from "react-router";
import { messageOf } from "../../../api/api-error.js";
import { pagesOfFileQuery } from "../../../api/queries.js";
import { assetName } from "../../../ui/assets/asset-words.js";
import { InlineError } from "../../../ui/feedback/states.js";
import { pathOf } from "../../../ui/format/words.js";
import { t } from "../../../texts/text.js";
import classes from "./pages-of-file.module.css";

/** Lists, on demand, which pages use a file. */
export function PagesOfFile({ objectId, file }: { objectId: string; file: ChangedFile }) {
  const { name } = assetName(file.url);
  const [opened, setOpened] = useState(false);
  const panel = useId();
  const query = usePages(objectId, file, opened);
  return (
    <div className={classes["users"]}>
      <Button
        variant="subtle"
        size="compact-xs"
        aria-expanded={opened}
        aria-controls={panel}
        onClick={() => setOpened(!opened)}
      >
        {opened ? t("Hide the pages") : t(questions[file.change])}
        <span className="sr-only"> {name}</span>
      </Button>
      <div id={panel} hidden={!opened}>
        <Answer query={query} name={name} />
      </div>
    </div>
  );
}

const questions = {
  changed: "Which pages need it?",
  added: "Which pages need it?",
  back: "Which pages need it?",
  removed: "Which pages still need it?",
  missing: "Which pages still have it?",
} as const;

/** Loads the pages that use a file once they are asked for. */
function usePages(objectId: string, file: ChangedFile, isAsked: boolean) {
  return useInfiniteQuery({ ...pagesOfFileQuery(objectId, file.after ?? file.before ?? ""), enabled: isAsked });
}

function Answer({ query, name }: { query: ReturnType<typeof usePages>; name: string }) {
  const pages = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {query.isLoading && <p className="label">{t("Looking for pages…")}</p>}
      {query.isError && (
        <InlineError
          title={t("The pages could not be loaded")}
          detail={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isSuccess && pages.length === 0 && (
        <p className="label">{t("No page needs it in its newest snapshot.")}</p>
      )}
      <ul className={classes["pages"]} aria-label={t("Pages that need {name}", { name })}>
        {pages.map(({ id, url }) => (
          <li key={id}>
            <Link className="link mono truncate" to={`/instances/${id}`} title={url}>
              {pathOf(url)}
            </Link>
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button
          variant="default"
          size="compact-xs"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t("Show more")}
        </Button>
      )}
    </>
  );
}
