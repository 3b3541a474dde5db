import { Skeleton } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { allSchedulesQuery } from "../../api/watch-queries.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { ObjectCrumbs } from "../../ui/layout/object-crumbs.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { ShowMore } from "../../ui/layout/show-more.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { ScheduleRow } from "./schedule-row.js";
import rowClasses from "../../ui/layout/rows.module.css";

/** The page of the schedules of all sites; what begins next comes first. */
export function AllSchedulesPage() {
  usePageMeta(t("Schedules"), t("What runs automatically on all test objects."), "/schedules");
  const query = useInfiniteQuery({ ...allSchedulesQuery(), refetchInterval: 30_000 });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const pause = usePausing();
  return (
    <Page>
      <PageHead above={<ObjectCrumbs id={null} here={t("Schedules")} />} title={t("What runs automatically")} />
      <div className={rowClasses["sections"]}>
        {query.isPending && <Skeleton height={160} radius={8} />}
        {query.isError && <Failed error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && (
          <Card title={t("Next run first")} aside={counted(query.data.pages[0]?.total ?? 0, "schedule")} flush>
            {items.length === 0 && (
              <Empty title={t("No schedules yet")}>
                {t("Add schedules on a test object's page under More, Schedules. All of them are listed here.")}
              </Empty>
            )}
            <ul className={rowClasses["list"]} aria-label={t("Schedules")}>
              {items.map((item) => (
                <ScheduleRow
                  key={item.id}
                  schedule={item}
                  objectName={item.object_name}
                  onPause={(paused) => void pause(item.id, paused)}
                  acts={null}
                />
              ))}
            </ul>
            <ShowMore query={query} />
          </Card>
        )}
      </div>
    </Page>
  );
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return <InlineError title={t("The schedules could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />;
}

function usePausing() {
  const client = useQueryClient();
  return async (id: string, paused: boolean) => {
    try {
      await call("updateSchedule", { params: { id }, body: { paused } });
      toast("success", paused ? t("Paused.") : t("Resumed."));
    } catch (error) {
      toast("error", messageOf(error));
    }
    await client.invalidateQueries({ queryKey: keys.allSchedules });
    void client.invalidateQueries({ queryKey: keys.upcoming });
  };
}
