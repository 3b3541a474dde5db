import { Button, Progress, SegmentedControl, Select } from "@mantine/core";
import { IconDownload, IconX } from "@tabler/icons-react";
import { limits } from "@web-tester/contracts/limits";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { testObjectsQuery } from "../../api/queries.js";
import { contentsLeftOut, readExport } from "../../api/transfer.js";
import { InlineError } from "../../ui/feedback/states.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { indexChoices } from "../../ui/format/index-label.js";
import { indexOption } from "../../ui/format/index-option.js";
import { shortUrl } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { SearchableSelect } from "../../ui/searchable-select.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { isAbort, saveFile } from "../../ui/download/save-file.js";
import classes from "./transfer.module.css";

const everything = "all";
const formats = {
  json: {
    label: "JSON",
    button: "Export JSON",
    says: "Objects with their options, instances and snapshots with their HTML and headers. Without assets and passwords.",
  },
  archive: {
    label: "Archive",
    button: "Export archive",
    says: "The same with all assets and the pages as they were served, as one .tar.gz.",
  },
  wacz: {
    label: "WACZ",
    button: "Export WACZ",
    says: "A web archive of one index of every page. Opens in ReplayWeb.page.",
  },
} as const;
type Format = keyof typeof formats;

const leftOut =
  "The export is not complete: the object store has lost {n} content, or returns it damaged.|The export is not complete: the object store has lost {n} contents, or returns them damaged.";

/** A card that exports: what is selected is downloaded as a file. */
export function ExportCard() {
  const [objectId, setObjectId] = useState<string>(everything);
  const [format, setFormat] = useState<Format>("json");
  const [index, setIndex] = useState("0");
  const needsObject = format === "wacz" && objectId === everything;
  const download = useDownload({
    format,
    ...(objectId === everything ? {} : { testObjectId: objectId }),
    ...(format === "wacz" ? { idx: Number(index) } : {}),
  });

  return (
    <Card title={t("Export")}>
      <form
        className={classes["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (!needsObject && !download.isPending) download.begin();
        }}
      >
        <ObjectField objectId={objectId} onChoose={setObjectId} />
        <FormatField format={format} setFormat={setFormat} />
        {format === "wacz" && <IndexField objectId={objectId} index={index} setIndex={setIndex} />}
        {needsObject && <p className="label text-2">{t("Choose one test object: a web archive holds one site.")}</p>}
        <Acts format={format} disabled={needsObject} download={download} />
        {download.isPending && <DownloadProgress bytes={download.bytes} />}
      </form>
    </Card>
  );
}

function ObjectField({ objectId, onChoose }: { objectId: string; onChoose: (id: string) => void }) {
  const objects = useQuery(testObjectsQuery(useQueryClient()));
  return (
    <>
      <SearchableSelect
        label={t("Test object")}
        value={objectId}
        onChange={(value) => onChoose(value ?? everything)}
        loading={objects.isPending}
        choices={[
          { value: everything, label: t("All test objects") },
          ...(objects.data ?? []).map(({ id, name, url }) => ({ value: id, label: name, note: shortUrl(url) })),
        ]}
      />
      {objects.isError && (
        <InlineError
          title={t("The test objects could not be read")}
          detail={messageOf(objects.error)}
          onRetry={() => void objects.refetch()}
        />
      )}
    </>
  );
}

function IndexField({
  objectId,
  index,
  setIndex,
}: {
  objectId: string;
  index: string;
  setIndex: (index: string) => void;
}) {
  const objects = useQuery(testObjectsQuery(useQueryClient())).data;
  const history = objects?.find(({ id }) => id === objectId)?.history;
  const renderOption = useMemo(() => indexOption(history), [history]);
  return (
    <Select
      label={t("Index")}
      value={index}
      onChange={(value) => setIndex(value ?? "0")}
      data={indexChoices(limits.bulkDiffIndexOptions)}
      renderOption={renderOption}
      allowDeselect={false}
    />
  );
}

interface ActsProps {
  format: Format;
  disabled: boolean;
  download: ReturnType<typeof useDownload>;
}

function Acts({ format, disabled, download }: ActsProps) {
  return (
    <div className={classes["actions"]}>
      <Button
        type="submit"
        leftSection={<IconDownload size={15} aria-hidden />}
        disabled={disabled || download.isPending}
      >
        {t(formats[format].button)}
      </Button>
      {download.isPending && (
        <Button variant="default" leftSection={<IconX size={15} aria-hidden />} onClick={download.cancel}>
          {t("Cancel")}
        </Button>
      )}
    </div>
  );
}

/** Loads an export, and saves it when it is complete. */
function useDownload(query: Parameters<typeof readExport>[0]) {
  const [bytes, setBytes] = useState(0);
  const stop = useRef<AbortController>(null);
  const download = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      setBytes(0);
      toast("info", t("Preparing export..."));
      return readExport(query, setBytes, stop.current.signal);
    },
    onSuccess: async ({ blob, name }) => {
      saveFile(blob, name);
      toast("success", t("Export downloaded"));
      const n = query.format === "json" ? await contentsLeftOut(blob) : 0;
      if (n > 0) toast("warning", t(leftOut, { n }));
    },
    onError: (error) => {
      if (isAbort(error)) toast("info", t("Export cancelled"));
      else toast("error", messageOf(error));
    },
  });
  return {
    bytes,
    isPending: download.isPending,
    begin: () => download.mutate(),
    cancel: () => stop.current?.abort(),
  };
}

function FormatField({ format, setFormat }: { format: Format; setFormat: (format: Format) => void }) {
  return (
    <div>
      <SegmentedControl
        aria-label={t("Format")}
        value={format}
        onChange={(value) => setFormat(value in formats ? (value as Format) : "json")}
        data={Object.entries(formats).map(([value, { label }]) => ({ value, label: t(label) }))}
      />
      <p className={`label text-2 ${classes["says"]}`}>{t(formats[format].says)}</p>
    </div>
  );
}

function DownloadProgress({ bytes }: { bytes: number }) {
  return (
    <div role="group" aria-label={t("Export")}>
      <p className="label text-2" role="status">
        {bytes === 0 ? t("Preparing export…") : t("{bytes} received", { bytes: formatBytes(bytes) })}
      </p>
      <Progress value={100} animated size={6} aria-label={t("The export is on its way")} />
    </div>
  );
}
