import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import { useMemo } from "react";
import { searchedInstanceQuery } from "../../api/search.js";
import { testObjectQuery } from "../../api/queries.js";
import { useAddressParams } from "../../ui/address-params.js";
import { useFilterKey, useRowKeys } from "../../ui/keys/use-keys.js";
import { BackLink, Crumbs, Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { Histories } from "./histories.js";
import { Results } from "./results.js";
import { readSearchAddress, type SearchAddress, writeSearchAddress } from "./search-address.js";
import { SearchForm } from "./search-form.js";
import classes from "./search.module.css";

/** Finds a text in the snapshots of a test object; everything that can be chosen is in the address. */
export function SearchPage({ objectId }: { objectId: string }) {
  const [params, changeAddress] = useAddressParams();
  const address = readSearchAddress(params);
  const client = useQueryClient();
  const object = useQuery(testObjectQuery(client, objectId)).data ?? undefined;
  const instance = useQuery(searchedInstanceQuery(address.instance)).data;
  const history = useMemo(
    () => (address.instance === undefined ? object?.history : instance && fetchesOf(instance)),
    [address.instance, object?.history, instance],
  );
  const query = params.toString();
  usePageMeta(
    address.q === "" ? t("Search snapshots") : t("Search: {q}", { q: address.q.slice(0, 60) }),
    t("Text in the snapshots of {name}.", { name: object?.name ?? t("a test object") }),
    `/objects/${objectId}/search${query === "" ? "" : `?${query}`}`,
  );
  useFilterKey();
  useRowKeys();
  const change = (values: Partial<SearchAddress>) =>
    changeAddress((now) => writeSearchAddress(now, values), { preventScrollReset: true });
  const search = { objectId, q: address.q, scope: address.scope, instance: address.instance, idx: address.idx };
  return (
    <Page>
      <PageHead
        above={
          <Crumbs
            items={[
              { label: t("Objects"), to: "/" },
              { label: object?.name ?? t("Test object"), to: `/objects/${objectId}` },
              { label: t("Search") },
            ]}
          />
        }
        title={t("Search snapshots")}
        below={
          address.instance !== undefined && (
            <OneInstance
              id={address.instance}
              name={instance?.name || instance?.url}
              onAll={() => change({ instance: undefined })}
            />
          )
        }
      />
      <SearchForm
        address={address}
        history={history}
        snapshots={instance?.snapshots_total ?? object?.max_snapshots ?? 0}
        onSearch={change}
      />
      {address.q !== "" &&
        (address.view === "history" ? (
          <Histories key={JSON.stringify(search)} search={search} siteUrl={object?.url} />
        ) : (
          <Results key={JSON.stringify(search)} search={search} siteUrl={object?.url} />
        ))}
    </Page>
  );
}

function OneInstance({ id, name, onAll }: { id: string; name: string | undefined; onAll(): void }) {
  return (
    <p className={`dense ${classes["limited"]}`}>
      <BackLink to={`/instances/${id}`}>{name ?? t("Back to the instance")}</BackLink>
      <span className="text-2">{t("Only this instance is searched.")}</span>
      <button type="button" className={classes["more"]} onClick={onAll}>
        {t("Search all instances")}
      </button>
    </p>
  );
}

/** When the page's finished snapshots were fetched, the oldest first. */
const fetchesOf = ({ testsnapshots }: Pick<TestInstance, "testsnapshots">) =>
  testsnapshots
    .filter(({ state }) => state === "done")
    .map(({ created_at, fetched_at }) => ({ finished_at: fetched_at ?? created_at }))
    .reverse();
