import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import { useMemo } from "react";
import { isNotFound } from "../../api/api-error.js";
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

/** The page that finds a text in the snapshots of a test object; every choice is in the address. */
export function SearchPage({ objectId }: { objectId: string }) {
  const [params, changeAddress] = useAddressParams();
  const address = readSearchAddress(params);
  const { object, instance, isGone, history } = useSearched(objectId, address.instance);
  useMeta(objectId, address.q, object?.name, params.toString());
  useFilterKey();
  useRowKeys();
  const change = (values: Partial<SearchAddress>) =>
    changeAddress((now) => writeSearchAddress(now, values), { preventScrollReset: true });
  const search = { objectId, q: address.q, scope: address.scope, instance: address.instance, idx: address.idx };
  return (
    <Page>
      <PageHead
        above={<SearchCrumbs id={objectId} name={object?.name} />}
        title={t("Search snapshots")}
        below={
          address.instance !== undefined && (
            <OneInstance
              id={address.instance}
              name={instance?.name || instance?.url}
              isGone={isGone}
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
        !isGone &&
        (address.view === "history" ? (
          <Histories key={JSON.stringify(search)} search={search} siteUrl={object?.url} />
        ) : (
          <Results key={JSON.stringify(search)} search={search} siteUrl={object?.url} />
        ))}
    </Page>
  );
}

/** Loads what is searched: an object's snapshots, or those of one of its instances, and when these were fetched. */
function useSearched(objectId: string, instanceId: string | undefined) {
  const object = useQuery(testObjectQuery(useQueryClient(), objectId)).data ?? undefined;
  const { data: instance, error } = useQuery(searchedInstanceQuery(instanceId));
  const history = useMemo(
    () => (instanceId === undefined ? object?.history : instance && fetchesOf(instance)),
    [instanceId, object?.history, instance],
  );
  return { object, instance, isGone: instanceId !== undefined && isNotFound(error), history };
}

function useMeta(objectId: string, q: string, name: string | undefined, query: string): void {
  usePageMeta(
    q === "" ? t("Search snapshots") : t("Search: {q}", { q: q.slice(0, 60) }),
    t("Text in the snapshots of {name}.", { name: name ?? t("a test object") }),
    `/objects/${objectId}/search${query === "" ? "" : `?${query}`}`,
  );
}

function SearchCrumbs({ id, name }: { id: string; name: string | undefined }) {
  return (
    <Crumbs
      items={[
        { label: t("Objects"), to: "/" },
        { label: name ?? t("Test object"), to: `/objects/${id}` },
        { label: t("Search") },
      ]}
    />
  );
}

interface OneInstanceProps {
  id: string;
  name: string | undefined;
  /** Whether it was deleted, so that there is nothing to search. */
  isGone: boolean;
  onAll(): void;
}

function OneInstance({ id, name, isGone, onAll }: OneInstanceProps) {
  return (
    <p className={`dense ${classes["limited"]}`}>
      {isGone ? (
        <span role="status">{t("Instance not found.")}</span>
      ) : (
        <>
          <BackLink to={`/instances/${id}`}>{name ?? t("Back to the instance")}</BackLink>
          <span className="text-2">{t("Only this instance is searched.")}</span>
        </>
      )}
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
