import { Button } from "@mantine/core";
import type { VisualDiff } from "@web-tester/contracts/entities/compare";
import { IconGitCompare } from "@tabler/icons-react";
import { Link } from "react-router";
import { pathOf } from "../../../ui/format/words.js";
import { Crumbs } from "../../../ui/layout/page.js";
import { t } from "../../../texts/text.js";
import classes from "./visual.module.css";

/** The head of the page: whose page is compared, and the link to its text diff. */
export function VisualHead({ diff, textDiff }: { diff: VisualDiff | undefined; textDiff: string }) {
  const label = diff === undefined ? t("Visual diff") : diff.instance.name || diff.instance.url;
  return (
    <header className={classes["head"]}>
      <div className={classes["titles"]}>
        <Crumbs
          items={[
            { label: t("Objects"), to: "/" },
            ...(diff === undefined
              ? []
              : [
                  { label: diff.testobject.name, to: `/objects/${diff.testobject.id}` },
                  { label, to: `/instances/${diff.instance.id}` },
                ]),
            { label: t("Visual diff") },
          ]}
        />
        <div className={classes["titleRow"]}>
          <h1 className="title">{label}</h1>
          {diff !== undefined && (
            <span className="mono text-2 truncate" title={diff.instance.url}>
              {pathOf(diff.instance.url)}
            </span>
          )}
        </div>
      </div>
      <Button
        component={Link}
        to={textDiff}
        variant="default"
        title={t("Text diff (v)")}
        leftSection={<IconGitCompare size={15} aria-hidden />}
      >
        {t("Text diff")}
      </Button>
    </header>
  );
}
