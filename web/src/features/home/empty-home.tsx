import { type Icon, IconCamera, IconGitCompare, IconSitemap, IconWorld } from "@tabler/icons-react";
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { configQuery } from "../../api/queries.js";
import { Needs } from "../../ui/access/needs.js";
import { toast } from "../../ui/toasts/toasts.js";
import { Card } from "../../ui/layout/card.js";
import { type Label, t } from "../../texts/text.js";
import classes from "./empty-home.module.css";

const steps: readonly { word: Label; icon: Icon; text: Label }[] = [
  { word: "Register", icon: IconWorld, text: "Give a site a name and its root URL." },
  { word: "Crawl", icon: IconSitemap, text: "Find its pages by following links." },
  { word: "Fetch", icon: IconCamera, text: "Store each page as a snapshot." },
  { word: "Compare", icon: IconGitCompare, text: "See what changed, line by line." },
];

/** The home screen for newcomers: says that there is nothing yet, what to do, and what comes of it. */
export function EmptyHome() {
  return (
    <Card flush>
      <div className={classes["empty"]}>
        <Picture />
        <h2 className={classes["emptyTitle"]}>{t("No test objects yet")}</h2>
        <p className="text-2">{t("Create one using the form above to get started.")}</p>
        <Sample />
      </div>
      <ol className={classes["steps"]}>
        {steps.map(({ word, icon: Glyph, text }, index) => (
          <li key={word}>
            <span className="mono text-3">{index + 1}</span>
            <Glyph size={16} stroke={1.75} aria-hidden />
            <div>
              <p className="strong">{t(word)}</p>
              <p className="text-2">{t(text)}</p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** A button for those who have no site at hand: it adds the server's sample site and crawls it at once. */
function Sample() {
  const navigate = useNavigate();
  const config = useQuery(configQuery());
  const add = useMutation({
    mutationFn: async () => {
      const { id } = await call("createSample", { body: {} });
      await call("crawl", { params: { id } });
      return id;
    },
    onSuccess: (id) => navigate(`/objects/${id}`),
    onError: (error) => toast("error", messageOf(error)),
  });
  if (config.data?.sample !== true) return null;
  return (
    <div className={classes["sample"]}>
      <Needs call="createSample">
        <Button variant="default" onClick={() => add.mutate()} loading={add.isPending}>
          {t("Try it with a sample site")}
        </Button>
      </Needs>
      <p className="label">{t("Served by this program. Fetch it twice and see what changed.")}</p>
    </div>
  );
}

function Picture() {
  return (
    <svg width="200" height="96" viewBox="0 0 200 96" aria-hidden fill="none">
      <PageBefore />
      <PageAfter />
    </svg>
  );
}

function PageBefore() {
  return (
    <>
      <rect
        x="1"
        y="1"
        width="117"
        height="88"
        rx="8"
        fill="var(--wt-surface)"
        stroke="var(--wt-line-strong)"
        strokeWidth="1.5"
      />
      <path d="M1 20h117" stroke="var(--wt-line-strong)" strokeWidth="1.5" />
      <g fill="var(--wt-line-strong)">
        <circle cx="11" cy="10.5" r="2.5" />
        <circle cx="19" cy="10.5" r="2.5" />
        <circle cx="27" cy="10.5" r="2.5" />
      </g>
      <path d="M15 36h54M15 49h62M15 62h62" stroke="var(--wt-line)" strokeWidth="6" strokeLinecap="round" />
    </>
  );
}

/** Draws the same page in front of the other, with a line removed and one added. */
function PageAfter() {
  return (
    <>
      <rect
        x="82"
        y="9"
        width="117"
        height="80"
        rx="8"
        fill="var(--wt-surface)"
        stroke="var(--wt-accent)"
        strokeWidth="1.5"
      />
      <path d="M82 28h117" stroke="var(--wt-accent)" strokeWidth="1.5" opacity=".45" />
      <g fill="var(--wt-accent)" opacity=".45">
        <circle cx="92" cy="18.5" r="2.5" />
        <circle cx="100" cy="18.5" r="2.5" />
        <circle cx="108" cy="18.5" r="2.5" />
      </g>
      <path d="M96 42h54M96 80h42" stroke="var(--wt-line)" strokeWidth="6" strokeLinecap="round" />
      <rect x="88" y="48" width="105" height="12" rx="2" fill="var(--wt-removed-soft)" />
      <rect x="88" y="61" width="105" height="12" rx="2" fill="var(--wt-added-soft)" />
      <path d="M96 54h70" stroke="var(--wt-removed-mark)" strokeWidth="6" strokeLinecap="round" />
      <path d="M96 67h80" stroke="var(--wt-added-mark)" strokeWidth="6" strokeLinecap="round" />
    </>
  );
}
