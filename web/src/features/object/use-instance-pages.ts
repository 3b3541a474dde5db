import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import { limits } from "@web-tester/contracts/limits";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import type { InstanceView } from "../../api/keys.js";
import { instancePageQuery } from "../../api/queries.js";
import { noteOpened, placeKey, placeOf } from "../../ui/layout/places.js";

const size = limits.instancesPageSize;

/**
 * Loads the rows of an object's instance list as far as somebody has scrolled, 20 at a time. Only parts on screen are kept fresh;
 * those far away are dropped and loaded again when they are visible, so that a list of any length costs the same.
 */
export function useInstancePages(objectId: string, view: InstanceView) {
  const key = placeKey(useLocation());
  const name = `${objectId} ${JSON.stringify(view)}`;
  const [last, setLast] = useState({ name: "", opened: 1 });
  const opened = last.name === name ? last.opened : (placeOf(key).opened[name] ?? 1);
  useEffect(() => noteOpened(key, name, opened), [key, name, opened]);
  const [seen, setSeen] = useState<{ first: number; last: number }>({ first: 0, last: 0 });
  const first = useQuery({ ...instancePageQuery(objectId, view, 0), placeholderData: keepPreviousData });
  const total = first.data?.total ?? 0;
  const count = Math.min(total, opened * size);
  const lastPage = Math.max(0, Math.ceil(count / size) - 1);
  const from = Math.min(Math.max(1, seen.first), Math.max(1, lastPage));
  const to = Math.min(seen.last, lastPage);
  const wanted = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  const others = useQueries({ queries: wanted.map((page) => instancePageQuery(objectId, view, page)) });

  const rowAt = (index: number): TestInstanceListItem | undefined => {
    const page = Math.floor(index / size);
    const data = page === 0 ? first.data : others[page - from]?.data;
    return data?.items[index % size];
  };
  const hasMore = count < total;
  return {
    first,
    total,
    count,
    hasMore,
    loadingMore: others.some((other) => other.isLoading),
    failedPage: others.find((other) => other.isError),
    rowAt,
    /** Opens the next page of 20. */
    openMore: () => setLast({ name, opened: opened + 1 }),
    /** Reports which rows are on screen. */
    see: (firstRow: number, lastRow: number) => {
      const next = { first: Math.floor(firstRow / size), last: Math.floor(lastRow / size) };
      if (next.first !== seen.first || next.last !== seen.last) setSeen(next);
    },
  };
}
