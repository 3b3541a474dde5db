import { createSpotlight, Spotlight, useSpotlight } from "@mantine/spotlight";
import "@mantine/spotlight/styles.layer.css";
import { useDebouncedValue } from "@mantine/hooks";
import { IconFileText, IconSearch, IconWorldWww } from "@tabler/icons-react";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { testObjectsQuery } from "../../api/queries.js";
import { pathOf, shortUrl } from "../../ui/format/words.js";
import { fuzzyFilter, fuzzyParts } from "../../ui/fuzzy.js";
import { t } from "../../texts/text.js";
import { takeTyped } from "./typed-ahead.js";
import classes from "./command-palette.module.css";

const [store, palette] = createSpotlight();

const objectsShown = 8;
const objectsAsked = 12;
const pagesPerObject = 4;

/** Finds objects and pages that match what was typed; pages are searched for with a debounce. */
function useMatches(query: string) {
  const client = useQueryClient();
  const [settled] = useDebouncedValue(query.trim(), 150);
  const objects = useQuery(testObjectsQuery(client));
  const matches = fuzzyFilter(query, objects.data ?? [], (object) => object.name, objectsShown);
  const asked =
    settled.length < 2
      ? []
      : (objects.data ?? []).filter((object) => object.instances_total > 0).slice(0, objectsAsked);
  const answers = useQueries({
    queries: asked.map((object) => ({
      queryKey: ["palette", object.id, settled],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call("listTestInstances", { params: { id: object.id }, query: { q: settled, limit: pagesPerObject }, signal }),
      staleTime: 10_000,
      gcTime: 30_000,
    })),
  });
  const pages = asked.flatMap((object, index) =>
    (answers[index]?.data?.items ?? []).map((instance) => ({ instance, object })),
  );
  const searching = settled !== query.trim() || answers.some((answer) => answer.isLoading) || objects.isPending;
  const error = objects.error ?? answers.find((answer) => answer.isError)?.error;
  return { matches, pages, searching, error };
}

/**
 * Selects the first entry when results that arrived last have replaced the selected one, so that Enter takes the first unless another
 * was chosen.
 */
function useFirstChosen(shown: string): void {
  const { opened } = useSpotlight(store);
  useEffect(() => {
    if (!opened) return undefined;
    const timer = window.setTimeout(() => {
      document.querySelector("[data-palette] [role=dialog]")?.setAttribute("aria-label", t("Go to object or page"));
      const actions = [...document.querySelectorAll("[data-palette] [data-action]")];
      if (actions.length === 0 || actions.some((action) => action.hasAttribute("data-selected"))) return;
      actions[0]?.setAttribute("data-selected", "true");
      store.updateState((state) => ({ ...state, selected: 0 }));
    }, 30);
    return () => window.clearTimeout(timer);
  }, [shown, opened]);
}

/** The palette (Ctrl K), which goes to an object or to one of the objects' pages. */
export default function CommandPalette() {
  const [query, setQuery] = useState("");
  const { matches, pages, searching, error } = useMatches(query);
  useFirstChosen([...matches.map(({ item }) => item.id), ...pages.map(({ instance }) => instance.id)].join());
  return (
    <Spotlight.Root
      store={store}
      data-palette
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={420}
      overlayProps={{ blur: 0 }}
      classNames={{
        content: classes["content"],
        search: classes["search"],
        action: classes["action"],
        actionsGroup: classes["group"],
      }}
    >
      <Spotlight.Search
        placeholder={t("Go to object or page")}
        leftSection={<IconSearch size={16} aria-hidden />}
        onFocus={() => setQuery((before) => before + takeTyped())}
      />
      <Spotlight.ActionsList>
        {matches.length > 0 && <Objects matches={matches} />}
        {pages.length > 0 && <Pages pages={pages} />}
        {matches.length + pages.length === 0 && (
          <Spotlight.Empty>
            {searching ? t("Searching...") : error ? messageOf(error) : t("No results found")}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

type Matches = ReturnType<typeof useMatches>;

function Objects({ matches }: Pick<Matches, "matches">) {
  const navigate = useNavigate();
  return (
    <Spotlight.ActionsGroup label={t("Objects")}>
      {matches.map(({ item, indexes }) => (
        <Spotlight.Action key={item.id} onClick={() => void navigate(`/objects/${item.id}`)}>
          <IconWorldWww size={16} aria-hidden />
          <span className="truncate">
            {fuzzyParts(item.name, indexes).map((part, index) =>
              part.matched ? <b key={index}>{part.text}</b> : part.text,
            )}
          </span>
          <span className={`mono truncate ${classes["note"]}`}>{shortUrl(item.url)}</span>
        </Spotlight.Action>
      ))}
    </Spotlight.ActionsGroup>
  );
}

function Pages({ pages }: Pick<Matches, "pages">) {
  const navigate = useNavigate();
  return (
    <Spotlight.ActionsGroup label={t("Pages")}>
      {pages.map(({ instance, object }) => (
        <Spotlight.Action key={instance.id} onClick={() => void navigate(`/instances/${instance.id}`)}>
          <IconFileText size={16} aria-hidden />
          <span className="truncate">{instance.name || instance.url}</span>
          <span className={`mono truncate ${classes["note"]}`}>
            {object.name} {pathOf(instance.url, object.url)}
          </span>
        </Spotlight.Action>
      ))}
    </Spotlight.ActionsGroup>
  );
}

/** Opens the palette once its code is loaded. */
export const openPalette = (): void => palette.open();
