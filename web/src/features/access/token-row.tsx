import { Button } from "@mantine/core";
import type { ApiToken } from "@web-tester/contracts/entities/access";
import { type Label, rich, t } from "../../texts/text.js";
import { Needs } from "../../ui/access/needs.js";
import { roleWords } from "../../ui/access/role-words.js";
import { formatDate, formatExactly, formatRelative } from "../../ui/format/dates.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./access.module.css";

const stateWords: Readonly<Record<Exclude<ApiToken["state"], "active">, Label>> = {
  expired: "has ended",
  revoked: "revoked",
};

/** A row for one token: its role, by whom and when it was made, when it ends, and when it was last used. */
export function TokenRow({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const { name, role, state, made_by: by, created_at: at, expires_at: ends, last_used_at: used } = token;
  const isLive = state === "active";
  return (
    <li className={rowClasses["row"]} data-off={!isLive || undefined}>
      <div className={classes["what"]}>
        <span className={rowClasses["title"]}>{name}</span>{" "}
        <span className={classes["role"]}>{t(roleWords[role])}</span>{" "}
        {state !== "active" && <span className="text-2">{t(stateWords[state])}</span>}
        <div className="label">{rich("Made {ago} by {who}", { ago: <Ago at={at} />, who: by })}</div>
        <div className="label">
          {token.revoked_at !== null
            ? rich("Revoked {ago} by {who}", { ago: <Ago at={token.revoked_at} />, who: token.revoked_by ?? "-" })
            : ends === null
              ? t("No end date")
              : rich(isLive ? "Ends {ago}" : "Ended {ago}", { ago: <Ago at={ends} /> })}
          {", "}
          {used === null ? t("never used") : rich("last used {ago}", { ago: <Ago at={used} /> })}
        </div>
      </div>
      {token.revoked_at === null && (
        <Needs call="revokeToken">
          <Button size="xs" variant="default" onClick={onRevoke} aria-label={t("Revoke {name}", { name })}>
            {t("Revoke")}
          </Button>
        </Needs>
      )}
    </li>
  );
}

/** A moment relative to now, followed by its date: "3 hours ago (24.11.2026 12:03)". */
function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExactly(at)}>
      {formatRelative(at, Date.now())} ({formatDate(at)})
    </time>
  );
}
