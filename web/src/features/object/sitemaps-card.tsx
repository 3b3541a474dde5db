import { ActionIcon, Button, TextInput } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconPlus, IconSitemap, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { ApiError } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { Needs } from "../../ui/access/needs.js";
import { Card } from "../../ui/layout/card.js";
import { WorkButton } from "../../ui/feedback/work-button.js";
import { t } from "../../texts/text.js";
import { withScheme } from "../../ui/with-scheme.js";
import { EditConflicts } from "./edit-conflicts.js";
import { patternsOf, sameOption } from "./options.js";
import { cacheObject, useCheckedDraft } from "./use-checked-draft.js";
import type { ObjectActions } from "./use-object-actions.js";
import classes from "./rail.module.css";

interface Props {
  object: TestObject;
  actions: ObjectActions;
  disabled: boolean;
}

/** A card that edits the addresses of a site's sitemaps and reads them; without any, those that robots.txt lists are read. */
export function SitemapsCard({ object, actions, disabled }: Props) {
  const { rows, setRows, error, save, conflicts } = useSitemapRows(object);
  const [added, setAdded] = useState<number>();
  const running = object.progress.sitemaps.running;
  const start = () => save.mutate(undefined, { onSuccess: (saved) => saved && actions.sitemaps.mutate() });

  return (
    <Card title={t("Sitemaps")}>
      <form
        className={classes["stack"]}
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <RowFields rows={rows} added={added} onChange={setRows} />
        <EditConflicts {...conflicts} />
        {error !== undefined && (
          <p className={classes["formError"]} role="alert">
            {error}
          </p>
        )}
        <div className={classes["ends"]}>
          <Button
            variant="subtle"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => {
              setRows([...rows, ""]);
              setAdded(rows.length);
            }}
          >
            {t("Add Sitemap")}
          </Button>
          <CrawlButton
            running={running}
            disabled={disabled || running || conflicts.names.length > 0}
            isWorking={save.isPending || actions.sitemaps.isPending}
          />
        </div>
      </form>
    </Card>
  );
}

function CrawlButton({ running, disabled, isWorking }: { running: boolean; disabled: boolean; isWorking: boolean }) {
  return (
    <Needs call="runSitemaps">
      <WorkButton
        type="submit"
        variant="default"
        leftSection={<IconSitemap size={15} aria-hidden />}
        disabled={disabled}
        isWorking={isWorking}
      >
        {running ? t("Crawling sitemaps…") : t("Crawl Sitemaps")}
      </WorkButton>
    </Needs>
  );
}

/** The addresses as they are edited, one per row, and saving them. */
function useSitemapRows(object: TestObject) {
  const client = useQueryClient();
  const { values, typed, edit, reset, conflicts, check } = useCheckedDraft(object, sitemapsOf);
  const [error, setError] = useState<string>();

  const save = useMutation({
    mutationFn: async () => {
      const checked = await check();
      if (checked === undefined) return undefined;
      const sitemaps = patternsOf(checked.values.sitemaps.split("\n").map(withScheme).join("\n"));
      // the same list is not saved again, so that reading sitemaps needs no right to edit the object
      if (sitemaps.join("\n") === checked.before.sitemaps) return checked.fresh;
      return call("updateTestObject", { params: { id: object.id }, body: { sitemaps } });
    },
    onSuccess: (saved) => {
      setError(undefined);
      if (saved === undefined) return;
      reset();
      if (saved !== object) cacheObject(client, saved);
    },
    onError: (failure) =>
      setError(failure instanceof ApiError ? failure.reason : t("The sitemaps could not be saved.")),
  });
  const setRows = (rows: readonly string[]) => edit({ sitemaps: rows.join("\n") });
  const text = sameOption("sitemaps", typed.sitemaps, values.sitemaps) ? typed.sitemaps : values.sitemaps;
  return { rows: text.split("\n"), setRows, error, save, conflicts };
}

/** The addresses as one text, one per line, in which empty lines mean nothing. */
const sitemapsOf = ({ sitemaps }: TestObject) => ({ sitemaps: sitemaps.join("\n") });

interface RowFieldsProps {
  rows: readonly string[];
  /** The row that a person added last, to type in. */
  added: number | undefined;
  onChange: (rows: readonly string[]) => void;
}

function RowFields({ rows, added, onChange }: RowFieldsProps) {
  return rows.map((row, index) => (
    <div key={index} className={classes["pair"]}>
      <TextInput
        aria-label={t("Sitemap {index}", { index: index + 1 })}
        placeholder={t("URL, or empty for robots.txt")}
        data-mono
        autoFocus={index === added}
        spellCheck={false}
        className={classes["grow"]}
        value={row}
        onChange={(event) => onChange(rows.with(index, event.currentTarget.value))}
      />
      {(rows.length > 1 || row !== "") && (
        <ActionIcon
          variant="subtle"
          aria-label={t("Remove sitemap {index}", { index: index + 1 })}
          onClick={(event) => {
            // the button may be gone afterwards, and the focus with it
            const fields = event.currentTarget.form?.querySelectorAll("input");
            fields?.[Math.max(0, Math.min(index, rows.length - 2))]?.focus();
            onChange(rows.toSpliced(index, 1));
          }}
        >
          <IconX size={15} aria-hidden />
        </ActionIcon>
      )}
    </div>
  ));
}
