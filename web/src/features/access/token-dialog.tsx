import { Button, Modal, Radio, Select, TextInput } from "@mantine/core";
import { role as roleSchema, type Role } from "@web-tester/contracts/entities/role";
import type { Response } from "@web-tester/contracts/api";
import { isVisible } from "@web-tester/contracts/visible-text";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { type Label, t } from "../../texts/text.js";
import { roleWords } from "../../ui/access/role-words.js";
import { endOf, type EndPreset, endPresets } from "./token-ends.js";
import formClasses from "../../ui/layout/form.module.css";
import classes from "./access.module.css";

const roleHelp: Readonly<Record<Role, Label>> = {
  viewer: "Can see everything and change nothing.",
  reviewer: "Can also review changes, edit rules and labels, and share.",
  operator: "Can also add, crawl, fetch, configure and delete sites. For pipelines.",
  admin: "Can also manage access and notifications, and see who changed what.",
};

interface Props {
  /** Whether no token was ever made: making one closes the server to everybody without a token. */
  isFirst: boolean;
  /** Whether no other admin would be left. */
  mustBeAdmin: boolean;
  onClose: () => void;
  onMade: (made: Response<"createToken">) => void;
}

/** A dialog that makes a named token. */
export function TokenDialog({ isFirst, mustBeAdmin, onClose, onMade }: Props) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>(mustBeAdmin ? "admin" : "viewer");
  const [preset, setPreset] = useState<EndPreset>(mustBeAdmin ? "never" : "90");
  const [day, setDay] = useState("");
  const { faults, setFaults, making, make } = useMaking(onMade);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    void make({ name: name.trim(), role, ends: endOf(preset, day, Date.now()) });
  };
  return (
    <Modal opened onClose={onClose} size={520} title={<b>{isFirst ? t("Make the first token") : t("Make a token")}</b>}>
      <form className={formClasses["fields"]} onSubmit={submit} noValidate>
        {isFirst && <FirstWarning />}
        <NameInput
          name={name}
          fault={faults.name}
          onName={(next) => {
            setName(next);
            setFaults({});
          }}
        />
        <RoleChoice role={role} onRole={setRole} mustBeAdmin={mustBeAdmin} />
        <EndChoice preset={preset} onPreset={setPreset} day={day} onDay={setDay} fault={faults.day} />
        {faults.other !== undefined && (
          <p role="alert" className={classes["fault"]}>
            {faults.other}
          </p>
        )}
        <Ends making={making} onCancel={onClose} />
      </form>
    </Modal>
  );
}

function FirstWarning() {
  return (
    <p className={classes["warning"]}>
      {t(
        "This locks the server: from then on, every screen and every call on this machine requires a token. Keep this one in a safe place.",
      )}
    </p>
  );
}

function Ends({ making, onCancel }: { making: boolean; onCancel: () => void }) {
  return (
    <div className={formClasses["ends"]}>
      <Button variant="default" onClick={onCancel}>
        {t("Cancel")}
      </Button>
      <Button type="submit" loading={making}>
        {t("Make Token")}
      </Button>
    </div>
  );
}

interface RoleProps extends Pick<Props, "mustBeAdmin"> {
  role: Role;
  onRole: (role: Role) => void;
}

function RoleChoice({ role, onRole, mustBeAdmin }: RoleProps) {
  return (
    <Radio.Group
      label={t("Role")}
      description={mustBeAdmin ? t("There is no other admin, so this token has to be one.") : undefined}
      value={role}
      onChange={(value) => onRole(roleSchema.parse(value))}
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
  );
}

interface EndProps {
  preset: EndPreset;
  onPreset: (preset: EndPreset) => void;
  day: string;
  onDay: (day: string) => void;
  fault: string | undefined;
}

/** Chooses when the token ends: after one of the offered times, or on a day. */
function EndChoice({ preset, onPreset, day, onDay, fault }: EndProps) {
  return (
    <div className={formClasses["pair"]}>
      <Select
        label={t("Ends")}
        allowDeselect={false}
        value={preset}
        data={endPresets.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={(value) => onPreset(endPresets.find((each) => each.value === value)?.value ?? "90")}
      />
      {preset === "date" && (
        <TextInput
          type="date"
          label={t("Last day")}
          value={day}
          error={fault}
          onChange={(event) => onDay(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

interface NameProps {
  name: string;
  fault: string | undefined;
  onName: (name: string) => void;
}

function NameInput({ name, fault, onName }: NameProps) {
  return (
    <TextInput
      label={t("Name")}
      placeholder={t("Who or what uses it, such as a person or a pipeline")}
      data-autofocus
      maxLength={200}
      value={name}
      error={fault}
      onChange={(event) => onName(event.currentTarget.value)}
    />
  );
}

interface Faults {
  name?: string;
  day?: string;
  other?: string;
}

/** Makes the token, or says what is wrong with the input. */
function useMaking(onMade: Props["onMade"]) {
  const [faults, setFaults] = useState<Faults>({});
  const [making, setMaking] = useState(false);
  const make = async ({ name, role, ends }: { name: string; role: Role; ends: ReturnType<typeof endOf> }) => {
    if (!isVisible(name)) return setFaults({ name: t("Enter a name.") });
    if (ends === undefined) return setFaults({ day: t("Choose a day in the future.") });
    setMaking(true);
    try {
      onMade(await call("createToken", { body: { name, role, expires_at: ends } }));
    } catch (error) {
      setFaults({ other: messageOf(error) });
      setMaking(false);
    }
  };
  return { faults, setFaults, making, make };
}
