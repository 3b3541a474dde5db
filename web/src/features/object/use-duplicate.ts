import type { TestObject } from "@web-tester/contracts/entities/object";
import { limits } from "@web-tester/contracts/limits";
import { pickSettings } from "@web-tester/contracts/object-settings";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { t } from "../../texts/text.js";
import { toast } from "../../ui/toasts/toasts.js";

/** Creates another object with the settings of this one, without its pages. Stored secrets cannot be copied, and what needs them is off. */
export function useDuplicate(object: TestObject) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => {
      const name = t("{name} (copy)", { name: object.name }).slice(0, limits.nameMaxChars);
      return call("createTestObject", {
        body: { name, url: object.url, ...pickSettings(object), auth_enabled: false },
      });
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: keys.testObjects });
      const secrets =
        object.auth_password_set || object.request_header_names.length > 0 || object.login_steps.length > 0;
      toast(
        "success",
        secrets
          ? t("Duplicated with its options, without pages. Enter passwords, request headers and the login again.")
          : t("Duplicated with its options, without pages."),
      );
      void navigate(`/objects/${id}`);
    },
    onError: (error) => toast("error", messageOf(error)),
  });
}
