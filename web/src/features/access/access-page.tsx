import { Button } from "@mantine/core";
import type { Response } from "@web-tester/contracts/api";
import type { ApiToken } from "@web-tester/contracts/entities/access";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { ApiError, messageOf } from "../../api/api-error.js";
import { tokensQuery } from "../../api/access-queries.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { sessionQuery } from "../../api/queries.js";
import { t } from "../../texts/text.js";
import { Needs } from "../../ui/access/needs.js";
import { roleWords } from "../../ui/access/role-words.js";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.js";
import { Empty, InlineError, RowSkeletons } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { toast } from "../../ui/toasts/toasts.js";
import { type MadeToken, SecretDialog } from "./secret-dialog.js";
import { TokenDialog } from "./token-dialog.js";
import { TokenRow } from "./token-row.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./access.module.css";

/** The page of named tokens, each with a role. */
export function AccessPage() {
  usePageMeta(t("Access"), t("Who may do what on this server."), "/access");
  const client = useQueryClient();
  const session = useQuery(sessionQuery()).data;
  const query = useQuery(tokensQuery());
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeToken>();
  const [revoked, setRevoked] = useState<ApiToken>();
  const isOpen = session?.open === true;
  return (
    <Page>
      <PageHead
        title={t("Access")}
        below={<span className="text-2">{t("Who may do what on this server.")}</span>}
        actions={<Actions onMake={() => setMaking(true)} />}
      />
      <div className={rowClasses["sections"]}>
        {isOpen && <OpenNotice />}
        {query.isPending && <RowSkeletons count={3} />}
        {query.isError && <Refused error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && <Tokens tokens={query.data} onRevoke={setRevoked} />}
      </div>
      {making && (
        <TokenDialog
          isFirst={isOpen}
          mustBeAdmin={query.isSuccess && !hasAdmin(query.data, session)}
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMaking(false);
            setMade({ ...token, wasFirst: isOpen });
            if (!isOpen) void client.invalidateQueries({ queryKey: keys.tokens });
          }}
        />
      )}
      {made !== undefined && <SecretDialog made={made} onClose={() => setMade(undefined)} />}
      <RevokeDialog token={revoked} onClose={() => setRevoked(undefined)} />
    </Page>
  );
}

function Actions({ onMake }: { onMake: () => void }) {
  return (
    <>
      <Button component={Link} to="/access/changes" variant="default">
        {t("Who changed what")}
      </Button>
      <Needs call="createToken">
        <Button onClick={onMake}>{t("Make Token")}</Button>
      </Needs>
    </>
  );
}

interface TokensProps {
  tokens: Response<"listTokens">;
  onRevoke: (token: ApiToken) => void;
}

function Tokens({ tokens: { items, root }, onRevoke }: TokensProps) {
  return (
    <Card title={t("Tokens")} aside={counted(liveOf(items).length, "live token")} flush>
      {root && (
        <p className={classes["note"]}>
          {t("API_TOKEN is set on this server. It is an admin token too, until the server is started without it.")}
        </p>
      )}
      {items.length === 0 && (
        <Empty title={t("No tokens yet")}>
          {t("Create one for each person, pipeline or program, with the lowest role that is enough.")}
        </Empty>
      )}
      <ul className={rowClasses["list"]} aria-label={t("Tokens")}>
        {items.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => onRevoke(token)} />
        ))}
      </ul>
    </Card>
  );
}

const liveOf = (items: readonly ApiToken[]) => items.filter(({ state }) => state === "active");

/** Whether anybody could make further tokens; with an identity provider, admins can sign in there. */
function hasAdmin({ items, root }: Response<"listTokens">, session: Response<"getSession"> | undefined): boolean {
  return root || (session?.provider ?? null) !== null || liveOf(items).some(({ role }) => role === "admin");
}

interface RevokeProps {
  /** Undefined while no question is open. */
  token: ApiToken | undefined;
  onClose: () => void;
}

/** Asks for confirmation before a token is revoked. */
function RevokeDialog({ token: revoked, onClose }: RevokeProps) {
  const client = useQueryClient();
  const revoke = async (token: ApiToken) => {
    onClose();
    try {
      await call("revokeToken", { params: { id: token.id } });
      toast("success", t("“{name}” no longer works.", { name: token.name }));
    } catch (error) {
      toast("error", messageOf(error));
    }
    // whoever revokes the token that they are signed in with is signed out
    await client.invalidateQueries({ queryKey: keys.session });
    await client.invalidateQueries({ queryKey: keys.tokens });
  };
  return (
    <ConfirmDialog
      ask={
        revoked && {
          title: t("Revoke token"),
          sentence: t(
            "“{name}” ({role}) stops working, and anyone signed in with it is signed out immediately. This cannot be undone, but you can create another token.",
            { name: revoked.name, role: t(roleWords[revoked.role]) },
          ),
          losses: [],
        }
      }
      onCancel={onClose}
      onConfirm={() => revoked !== undefined && void revoke(revoked)}
    />
  );
}

/** Explains what it means that no token was ever made. */
function OpenNotice() {
  return (
    <Card title={t("No token is required")}>
      <p>
        {t(
          "This server can be reached only from this machine, and anyone who uses it can do everything. Once you create the first token, every screen and every call requires one. The first one is an admin token, so that more can be created.",
        )}
      </p>
    </Card>
  );
}

function Refused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 403)
    return <Empty title={t("Only admins can see the tokens")}>{error.reason}</Empty>;
  return <InlineError title={t("The tokens could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />;
}
