import { PasswordInput, SegmentedControl, Switch, TextInput } from "@mantine/core";
import { authType } from "@web-tester/contracts/entities/vocabulary";
import { objectSettings } from "@web-tester/contracts/object-settings";
import { t, translated } from "../../texts/text.js";
import type { OptionsDraft } from "./setting-fields.js";
import classes from "./rail.module.css";

const secretLabels = {
  basic: { user: "User name", secret: "Password" },
  bearer: { user: undefined, secret: "Token" },
  header: { user: "Header name", secret: "Header value" },
} as const;

interface Props extends Omit<OptionsDraft, "faults"> {
  keepsSecret: boolean;
}

/** Edits how the product authenticates at the site. A stored secret is never shown: it stays unless another one is typed. */
export function AuthFields({ options, set, keepsSecret }: Props) {
  return (
    <div className={classes["auth"]}>
      <div className={classes["authRow"]}>
        <Switch
          size="xs"
          label={options.auth_enabled ? t("On") : t("Off")}
          aria-label={t("Fetch authentication")}
          checked={options.auth_enabled}
          onChange={(event) => set({ auth_enabled: event.currentTarget.checked })}
        />
        <SegmentedControl
          aria-label={t("Authentication type")}
          disabled={!options.auth_enabled}
          value={options.auth_type}
          onChange={(kind) => set({ auth_type: authType.parse(kind), secret: "" })}
          data={
            objectSettings.auth_type.choices?.map(({ value, label }) => ({ value, label: translated(label) })) ?? []
          }
        />
      </div>
      {options.auth_enabled && <Secrets options={options} set={set} keepsSecret={keepsSecret} />}
    </div>
  );
}

function Secrets({ options, set, keepsSecret }: Props) {
  const { user, secret } = secretLabels[options.auth_type];
  return (
    <div className={classes["secrets"]} data-single={options.auth_type === "bearer" || undefined}>
      {options.auth_type !== "bearer" && (
        <TextInput
          label={user && t(user)}
          autoComplete="off"
          value={options.auth_username}
          onChange={(event) => set({ auth_username: event.currentTarget.value })}
        />
      )}
      <PasswordInput
        label={t(secret)}
        placeholder={keepsSecret ? t("Stored, type to replace") : ""}
        autoComplete="new-password"
        value={options.secret}
        onChange={(event) => set({ secret: event.currentTarget.value })}
      />
    </div>
  );
}
