import { Button, Modal, Radio, Select, TextInput } from "@mantine/core";
import { role as roleSchema, type Role } from "@web-tester/contracts/entities/role";
import type { Response } from "@web-tester/contracts/api";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { type Label, t } from "../../texts/text.js";
import { roleWords } from "../../ui/access/role-words.js";
import { endOf, type EndPreset, endPresets } from "./token-ends.js";
import formClasses from "../../ui/layout/form.module.css";
import classes from "./access.module.css";

const roleHelp: Readonly<Record<Role, Label>> = {
  viewer: "Reads everything, changes nothing.",
  reviewer: "Also says which changes are intended, writes rules and labels, and shares.",
  operator: "Also registers, crawls, fetches, sets up and deletes sites. For pipelines.",
  admin: "Also says who may do what and who is told, and sees who changed what.",
};

interface Props {
  /** No token was ever made: making one closes the server to everybody without. */
  isFirst: boolean;
  /** No other admin would be left. */
  mustBeAdmin: boolean;
  onClose: () => void;
  onMade: (made: Response<"createToken">) => void;
}

/** Makes a named token. */
export function TokenDialog({ isFirst, mustBeAdmin, onClose, onMade }: Props) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>(mustBeAdmin ? "admin" : "viewer");
  const [preset, setPreset] = useState<EndPreset>(mustBeAdmin ? "never" : "90");
  const [day, setDay] = useState("");
  const [faults, setFaults] = useState<{ name?: string; day?: string; other?: string }>({});
  const [making, setMaking] = useState(false);
  const make = async (event: React.FormEvent) => {
    event.preventDefault();
    const ends = endOf(preset, day, Date.now());
    if (name.trim() === "") return setFaults({ name: t("Enter a name.") });
    if (ends === undefined) return setFaults({ day: t("Choose a day that is still to come.") });
    setMaking(true);
    try {
      onMade(await call("createToken", { body: { name: name.trim(), role, expires_at: ends } }));
    } catch (error) {
      setFaults({ other: messageOf(error) });
      setMaking(false);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size={520}
      title={<b>{isFirst ? t("Make the first token") : t("Make a token")}</b>}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <form className={formClasses["fields"]} onSubmit={(event) => void make(event)} noValidate>
        {isFirst && (
          <p className={classes["warning"]}>
            {t(
              "This closes the server: from then on every screen and every call on this machine asks for a token. Keep this one where you find it again.",
            )}
          </p>
        )}
        <TextInput
          label={t("Name")}
          placeholder={t("Who or what uses it, such as a person or a pipeline")}
          data-autofocus
          maxLength={200}
          value={name}
          error={faults.name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setFaults({});
          }}
        />
        <Radio.Group
          label={t("Role")}
          description={mustBeAdmin ? t("There is no other admin, so this token has to be one.") : undefined}
          value={role}
          onChange={(value) => setRole(roleSchema.parse(value))}
        >
          <div className={classes["roles"]}>
            {roleSchema.options.map((each) => (
              <Radio
                key={each}
                value={each}
                disabled={mustBeAdmin && each !== "admin"}
                label={t(roleWords[each])}
                description={t(roleHelp[each])}
              />
            ))}
          </div>
        </Radio.Group>
        <div className={formClasses["pair"]}>
          <Select
            label={t("Ends")}
            allowDeselect={false}
            value={preset}
            data={endPresets.map(({ value, label }) => ({ value, label: t(label) }))}
            onChange={(value) => setPreset(endPresets.find((each) => each.value === value)?.value ?? "90")}
          />
          {preset === "date" && (
            <TextInput
              type="date"
              label={t("Last day")}
              value={day}
              error={faults.day}
              onChange={(event) => setDay(event.currentTarget.value)}
            />
          )}
        </div>
        {faults.other !== undefined && (
          <p role="alert" className={classes["fault"]}>
            {faults.other}
          </p>
        )}
        <div className={formClasses["ends"]}>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={making}>
            {t("Make Token")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
