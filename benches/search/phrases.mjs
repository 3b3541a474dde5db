// @ts-check

/**
 * The phrases to search for; `kind` determines the bound. Rare: in at most a few hundred of the pages.
 * @type {readonly { phrase: string, kind: "rare" | "common" | "short" | "count" }[]}
 */
export const phrases = [
  ...[
    "autovacuum_freeze_max_age",
    "query planner estimates",
    "gtk_text_buffer_insert_interactive",
    "in the middle of",
    "write-ahead log files",
    "no such phrase in any manual",
    "deprecated since: 4.10",
    "pg_stat_progress_vacuum",
  ].map((phrase) => /** @type {const} */ ({ phrase, kind: "rare" })),
  ...["the", "function", "<div class=", 'href="', "return value", "</td><td>"].map(
    (phrase) => /** @type {const} */ ({ phrase, kind: "common" }),
  ),
  ...["th", "zq", "e ", "q9", "==", "->"].map((phrase) => /** @type {const} */ ({ phrase, kind: "short" })),
  ...[
    "THE",
    "Select",
    "100%",
    "_",
    "%",
    "\\",
    "'",
    '"',
    "e",
    "<p>",
    "</a></li>",
    "PostgreSQL 17",
    "GtkWidget",
    "&nbsp;",
    "&amp;",
    "—",
    "“",
    "é",
    "ö",
    "Å",
    "ß",
    "straße",
    "aa",
    "aaaa",
    "....",
    "  ",
    "VACUUM (FULL",
    "ON CONFLICT DO NOTHING",
    "gdk_event_get_",
    "x86_64",
  ].map((phrase) => /** @type {const} */ ({ phrase, kind: "count" })),
];
