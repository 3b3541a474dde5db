import { useQuery } from "@tanstack/react-query";
import { configQuery } from "../../api/queries.js";
import { Page } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import classes from "./legal.module.css";

/** The page about data protection. Source: specification §2. */
export function PrivacyPage() {
  usePageMeta(t("Data Protection"), t("What web-tester stores, where, and what it does not do."), "/privacy");
  return (
    <Page>
      <article className={classes["text"]}>
        <h1 className="title">{t("Data Protection")}</h1>
        <h2>{t("What is stored")}</h2>
        <p>
          {t(
            "Snapshots are stored locally: the pages that are fetched, their headers and what changed in them stay in the database and the object store of this installation. Nothing is sent to a third party.",
          )}
        </p>
        <h2>{t("Analytics and tracking")}</h2>
        <p>
          {t(
            "No analytics or tracking is used by default. This application sets a cookie only when you sign in, and loads nothing from other servers.",
          )}
        </p>
        <h2>{t("Your browser")}</h2>
        <p>
          {t(
            "Your choice of a light or dark theme and of a language and, where you entered one, the token of a protected server are remembered in the local storage of your browser. The token is sent to that server only, the choices nowhere.",
          )}
        </p>
        <h2>{t("Monitored websites")}</h2>
        <p>
          {t(
            "Fetching a page is an ordinary request to the website that you registered; its operator sees it as any other visit. Access data that you enter for a website is stored encrypted, is sent to that website only, and is never shown again.",
          )}
        </p>
      </article>
    </Page>
  );
}

/** The page with the provider's legal details from the server's configuration. Source: specification §2. */
export function ImprintPage() {
  usePageMeta(t("Imprint"), t("Who provides this installation of web-tester."), "/imprint");
  const config = useQuery(configQuery());
  const { name = null, address = null, email = null } = config.data?.provider ?? {};
  return (
    <Page>
      <article className={classes["text"]}>
        <h1 className="title">{t("Imprint")}</h1>
        {config.isPending ? null : name === null ? (
          <p>
            {t(
              "This installation is provided by whoever runs this server; no legal details have been entered. To show them here, start the server with PROVIDER_NAME, PROVIDER_ADDRESS and PROVIDER_EMAIL.",
            )}
          </p>
        ) : (
          <>
            <h2>{t("Provider")}</h2>
            <p>{name}</p>
            {address !== null && <p className={classes["address"]}>{address}</p>}
            {email !== null && (
              <>
                <h2>{t("Contact")}</h2>
                <p>
                  <a href={`mailto:${email}`} className="link">
                    {email}
                  </a>
                </p>
              </>
            )}
          </>
        )}
      </article>
    </Page>
  );
}
