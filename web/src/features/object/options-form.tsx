import { Collapse, TextInput } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconChevronRight, IconSearch } from "@tabler/icons-react";
import { useEffect, useId, useState } from "react";
import { causeOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { Needs } from "../../ui/access/needs.js";
import { counted } from "../../ui/format/words.js";
import { toast } from "../../ui/toasts/toasts.js";
import { WorkButton } from "../../ui/feedback/work-button.js";
import { t } from "../../texts/text.js";
import { AuthFields } from "./auth-fields.js";
import {
  applyDraft,
  conflictsOf,
  type Draft,
  draftOf,
  keepDraft,
  keepMine,
  type EditedKey,
  takeStored,
  touchedSince,
  withEdits,
} from "./drafts.js";
import { ExcludePreview } from "./exclude-preview.js";
import { HeaderFields } from "./header-fields.js";
import { LoginFields } from "./login-fields.js";
import { faultLines, type OptionFault, optionFaults } from "./option-faults.js";
import { EditConflicts } from "./edit-conflicts.js";
import { countSet, groupsAbout, type OptionGroup } from "./option-groups.js";
import { changedLabels, changesProtection, type Options, optionsOf, optionsPatch, sameOptions } from "./options.js";
import { RetentionFields } from "./retention-fields.js";
import { SettingFields } from "./setting-fields.js";
import { cacheObject, readBeforeSaving } from "./use-checked-draft.js";
import classes from "./rail.module.css";

/** The message after saving: the specification's words where the site's protection was saved, else what was saved. */
function savedWords(options: Options, stored: Options): string {
  const names = changedLabels(options, stored);
  if (names.length === 0 || changesProtection(options, stored)) return t("Directory protection saved");
  const [first = "", ...others] = names;
  return others.length === 0
    ? t("Saved: {first}", { first })
    : t("Saved: {first} and {others}", { first, others: counted(others.length, "other option") });
}

/** The form with all options of an object in groups, a few of which are open at a time. */
export default function OptionsForm({ object }: { object: TestObject }) {
  const { stored, draft, options, changed, set, faults, save, conflicts } = useOptions(object);
  const [text, setText] = useState("");
  const { opened, toggle } = useOpenedGroups();
  const groups = groupsAbout(text);
  const isSearching = text.trim() !== "";

  return (
    <form
      className={classes["options"]}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft);
      }}
    >
      <FindOption text={text} onText={setText} />
      <div>
        {groups.map((group) => (
          <Group
            key={group.key}
            group={group}
            set={countSet(group.key, options, object.request_header_names.length)}
            opened={isSearching ? groups.length <= 3 : opened.has(group.key)}
            onToggle={() => toggle(group.key)}
          >
            <Fields {...{ group, object, options, stored, set, faults, changed }} />
          </Group>
        ))}
        {groups.length === 0 && <p className="label">{t("No option matches.")}</p>}
      </div>
      <EditConflicts stored={stored} {...conflicts} />
      <Faults faults={faults} />
      <Ends changed={changed} isSaving={save.isPending} />
    </form>
  );
}

/** Says why nothing was saved, with a line for each fault. */
const Faults = ({ faults }: { faults: readonly OptionFault[] }) =>
  faults.length > 0 && (
    <div className={classes["formError"]} role="alert">
      {faultLines(faults).map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );

/** State of the form: the edited options until they are saved, and the stored ones. */
function useOptions(object: TestObject) {
  const stored = optionsOf(object);
  // holds only what was edited here, so that saving does not undo what somebody else saves meanwhile
  const [draft, setDraft] = useState(() => draftOf(object.id));
  const [faults, setFaults] = useState<readonly OptionFault[]>([]);
  const options = applyDraft(draft, stored);
  const changed = !sameOptions(options, stored);
  useKept(object.id, changed ? draft : undefined);
  const set = (part: Partial<Options>) => {
    setDraft((now) => withEdits(now, stored, part));
    setFaults((now) => now.filter(({ name }) => name === undefined || !(name in part)));
  };
  const save = useSaving(object, setDraft, setFaults);
  const conflicts = {
    names: conflictsOf(draft, stored),
    onKeep: (name: EditedKey) => setDraft((now) => now && keepMine(now, stored, name)),
    onTake: (name: EditedKey) => setDraft((now) => now && takeStored(now, name)),
  };
  return { stored, draft, options, changed, set, faults, save, conflicts };
}

/** Remembers unsaved edits for the next visit of this screen, and makes the browser ask before the tab is closed or reloaded. */
function useKept(objectId: string, draft: Draft | undefined) {
  useEffect(() => keepDraft(objectId, draft), [objectId, draft]);
  const isUnsaved = draft !== undefined;
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
}

/** Saves the draft, unless what it edits was saved elsewhere since: then the form, which has the stored values now, asks. */
function useSaving(
  object: TestObject,
  setDraft: React.Dispatch<React.SetStateAction<Draft | undefined>>,
  setFaults: (faults: readonly OptionFault[]) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (draft: Draft | undefined) => {
      const { fresh, isInConflict } = await readBeforeSaving(client, object, draft, optionsOf);
      if (isInConflict) return undefined;
      const before = optionsOf(fresh);
      const sent = applyDraft(draft, before);
      const saved = await call("updateTestObject", { params: { id: object.id }, body: optionsPatch(sent, fresh) });
      return { saved, sent: { ...sent, versions: optionsOf(saved).versions }, before };
    },
    onSuccess: async (done, draft) => {
      if (done === undefined) {
        toast("warning", t("Not saved: the same options were changed elsewhere"));
        return;
      }
      const { saved, sent, before } = done;
      // an answer to an earlier read would bring back the old values
      await client.cancelQueries({ queryKey: keys.testObject(object.id), exact: true });
      cacheObject(client, saved);
      void client.invalidateQueries({ queryKey: keys.testObject(object.id), exact: true });
      // edits made while waiting for the answer are not saved yet
      setDraft((now) => touchedSince(draft, sent, now));
      setFaults([]);
      toast("success", savedWords(sent, before));
    },
    onError: (failure) => {
      const found = optionFaults(failure);
      setFaults(found);
      // what is wrong with a field is told there
      const isOfFields = found.some(({ name }) => name !== undefined);
      toast("error", t("Failed to save directory protection"), isOfFields ? undefined : { cause: causeOf(failure) });
    },
  });
}

function useOpenedGroups() {
  const [opened, setOpened] = useState<ReadonlySet<OptionGroup["key"]>>(new Set(["exclude"]));
  const toggle = (key: OptionGroup["key"]) => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  return { opened, toggle };
}

function FindOption({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <TextInput
      aria-label={t("Find an option")}
      placeholder={t("Find an option")}
      leftSection={<IconSearch size={15} aria-hidden />}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      onKeyDown={(event) => {
        // Enter in the search field must not submit the form
        if (event.key === "Enter") event.preventDefault();
      }}
    />
  );
}

function Ends({ changed, isSaving }: { changed: boolean; isSaving: boolean }) {
  return (
    <div className={classes["ends"]}>
      <span className="label">{changed ? t("Unsaved changes") : ""}</span>
      <Needs call="updateTestObject">
        <WorkButton type="submit" disabled={!changed} isWorking={isSaving}>
          {t("Save")}
        </WorkButton>
      </Needs>
    </div>
  );
}

function Group({
  group,
  set,
  opened,
  onToggle,
  children,
}: {
  group: OptionGroup;
  /** How many of its options differ from those of a new object. */
  set: number;
  opened: boolean;
  onToggle: () => void;
  children: React.ReactNode;
}) {
  const panel = useId();
  return (
    <section className={classes["group"]} aria-label={t(group.title)}>
      <button
        type="button"
        className={classes["groupHead"]}
        aria-expanded={opened}
        aria-controls={panel}
        onClick={onToggle}
      >
        <IconChevronRight size={16} aria-hidden data-opened={opened || undefined} />
        <span className={classes["groupTitle"]}>{t(group.title)}</span>
        {set > 0 && <span className="label">{t("{set} set", { set })}</span>}
      </button>
      <p className={`label ${classes["groupHelp"]}`}>{t(group.help)}</p>
      <Collapse expanded={opened} id={panel}>
        {opened && <div className={classes["stack"]}>{children}</div>}
      </Collapse>
    </section>
  );
}

interface FieldsProps {
  group: OptionGroup;
  object: TestObject;
  options: Options;
  stored: Options;
  set: (part: Partial<Options>) => void;
  faults: readonly OptionFault[];
  changed: boolean;
}

function Fields({ group: { key }, object, options, stored, set, faults, changed }: FieldsProps) {
  const draft = { options, set, faults };
  switch (key) {
    case "exclude":
      return <ExcludeFields object={object} stored={stored} {...draft} />;
    case "auth":
      return <AuthFields {...draft} keepsSecret={object.auth_password_set && options.auth_type === object.auth_type} />;
    case "login":
      return <LoginFields objectId={object.id} siteUrl={object.url} {...draft} changed={changed} />;
    case "keep":
      return <RetentionFields {...draft} removed={object.removed} waitsUntil={object.retention_waits_until} />;
    case "visit":
      return (
        <>
          <SettingFields group="visit" {...draft} />
          <HeaderFields key={object.request_header_names.join()} {...draft} stored={object.request_header_names} />
        </>
      );
    default:
      return <SettingFields group={key} {...draft} />;
  }
}

function ExcludeFields({
  object,
  stored,
  ...draft
}: Pick<FieldsProps, "object" | "options" | "stored" | "set" | "faults">) {
  const { options, set } = draft;
  return (
    <>
      <SettingFields group="exclude" rows={3} {...draft} />
      <ExcludePreview
        objectId={object.id}
        patterns={options.exclude_list}
        changed={options.exclude_list !== stored.exclude_list}
        onInstead={(from, to) =>
          set({
            exclude_list: options.exclude_list
              .split("\n")
              .map((line) => (line.trim() === from ? to : line))
              .join("\n"),
          })
        }
      />
    </>
  );
}
