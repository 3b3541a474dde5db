import { Button, SegmentedControl, Skeleton } from "@mantine/core";
import { type Delivery, type FailedTelling, hiddenCause } from "@web-tester/contracts/entities/notifications";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { deliveriesQuery } from "../../api/watch-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { useNotifications } from "./use-notifications.js";
import { stateWords } from "./words.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./notifications.module.css";

/** The messages to list: all, or those that could not be sent. */
type Shown = "all" | "dead";

/** Lists what was sent, what waits, and what could not be sent, with the receiver's answer. */
export function DeliveriesCard() {
  const [state, setState] = useState<Shown>("all");
  const query = useQuery({ ...deliveriesQuery(state === "all" ? null : state), refetchInterval: 10_000 });
  const items = query.data?.items ?? [];
  return (
    <Card title={t("Messages")} aside={<ShownControl shown={state} onShown={setState} />} flush>
      {query.isPending && <Skeleton height={80} radius={8} />}
      {query.isError && (
        <InlineError
          title={t("The messages could not be loaded")}
          detail={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isSuccess && items.length === 0 && (
        <Empty title={state === "all" ? t("No messages yet") : t("All messages were sent")}>
          {state === "all" ? t("Messages are listed here for 90 days, with the receiver's answers.") : ""}
        </Empty>
      )}
      {query.data !== undefined && query.data.untold.length > 0 && <UntoldRuns runs={query.data.untold} />}
      <ul className={rowClasses["list"]} aria-label={t("Messages")}>
        {items.map((item) => (
          <DeliveryRow key={item.id} delivery={item} />
        ))}
      </ul>
    </Card>
  );
}

/** Names the runs of which no message can be made, with the error. */
function UntoldRuns({ runs }: { runs: readonly FailedTelling[] }) {
  return (
    <ul className={rowClasses["list"]} aria-label={t("Runs without a message")}>
      {runs.map(({ run_id: id, testobject_id: objectId, object_name: name, since, tries, why }) => (
        <li key={id} className={rowClasses["foldingRow"]}>
          <div>
            <Link to={`/objects/${objectId}`} className={rowClasses["title"]}>
              {name}
            </Link>
            <div data-tone="failed">
              {t(
                "No message can be made about a run because of an error, since {at}. It is tried again every 15 s; later runs wait.",
                {
                  at: formatDate(since),
                },
              )}
            </div>
            {why === hiddenCause ? (
              <div className="text-2">{t("Administrators see the technical cause here.")}</div>
            ) : (
              <div className={`${classes["code"]} text-2`}>
                {counted(tries, "try", "tries")}: {why}
              </div>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function ShownControl({ shown, onShown }: { shown: Shown; onShown: (shown: Shown) => void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={t("Messages shown")}
      data={[
        { value: "all", label: t("All") },
        { value: "dead", label: t("Not sent") },
      ]}
      value={shown}
      onChange={(value) => onShown(value === "dead" ? "dead" : "all")}
    />
  );
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const { attempt } = useNotifications();
  const { id, state, sentence, channel_name: channel, attempts, status, answer, next_at: next } = delivery;
  return (
    <li className={rowClasses["foldingRow"]}>
      <div>
        <span className={rowClasses["title"]}>{sentence}</span>
        <div className="label">
          <b data-tone={state === "dead" ? "failed" : undefined}>{t(stateWords[state])}</b>, {channel},{" "}
          {formatDate(delivery.sent_at ?? delivery.created_at)}
          {attempts > 1 && `, ${counted(attempts, "try", "tries")}`}
          {next !== null &&
            `, ${
              state === "sending"
                ? t("tried again {at} if this try has not ended by then", { at: formatDate(next) })
                : t("next {at}", { at: formatDate(next) })
            }`}
        </div>
        {answer !== "" && (state !== "sent" || answer.startsWith("Refused for")) && (
          <div className={`${classes["code"]} text-2`}>
            {status !== null && `${status}: `}
            {answer}
          </div>
        )}
      </div>
      <div className={rowClasses["acts"]}>
        {state !== "sending" && (
          <Needs call="sendDelivery">
            <Button
              size="xs"
              variant="default"
              onClick={() => attempt(call("sendDelivery", { params: { id } }), t("Sending the message."))}
            >
              {state === "sent" ? t("Send again") : t("Send now")}
            </Button>
          </Needs>
        )}
      </div>
    </li>
  );
}
