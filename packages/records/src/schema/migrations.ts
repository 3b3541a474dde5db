import { MainJob1700000000000 } from "./migrations/1700000000000-main-job.js";
import { Discovery1700000001000 } from "./migrations/1700000001000-discovery.js";
import { CrawlReports1700000002000 } from "./migrations/1700000002000-crawl-reports.js";
import { Browser1700000003000 } from "./migrations/1700000003000-browser.js";
import { Assets1700000004000 } from "./migrations/1700000004000-assets.js";
import { Storage1700000005000 } from "./migrations/1700000005000-storage.js";
import { Search1700000006000 } from "./migrations/1700000006000-search.js";
import { Transfer1700000007000 } from "./migrations/1700000007000-transfer.js";
import { Visual1700000010000 } from "./migrations/1700000010000-visual.js";
import { Retention1700000011000 } from "./migrations/1700000011000-retention.js";
import { StoredTotal1700000012000 } from "./migrations/1700000012000-stored-total.js";
import { ObjectTotals1700000013000 } from "./migrations/1700000013000-object-totals.js";
import { SnapshotTexts1700000014000 } from "./migrations/1700000014000-snapshot-texts.js";
import { Removals1700000015000 } from "./migrations/1700000015000-removals.js";
import { PageFailures1700000016000 } from "./migrations/1700000016000-page-failures.js";
import { HeldImports1700000017000 } from "./migrations/1700000017000-held-imports.js";
import { CrawlRules1700000018000 } from "./migrations/1700000018000-crawl-rules.js";
import { StatusWords1700000019000 } from "./migrations/1700000019000-status-words.js";
import { ReadyRules1700000020000 } from "./migrations/1700000020000-ready-rules.js";
import { ComparisonAttempts1700000021000 } from "./migrations/1700000021000-comparison-attempts.js";
import { ChangedFiles1700000022000 } from "./migrations/1700000022000-changed-files.js";
import { Visitor1700000023000 } from "./migrations/1700000023000-visitor.js";
import { Login1700000024000 } from "./migrations/1700000024000-login.js";
import { Schedules1700000028000 } from "./migrations/1700000028000-schedules.js";
import { Telling1700000029000 } from "./migrations/1700000029000-telling.js";
import { Lifecycle1700000030000 } from "./migrations/1700000030000-lifecycle.js";
import { NoiseAndTags1700000031000 } from "./migrations/1700000031000-noise-and-tags.js";
import { RunLabels1700000034000 } from "./migrations/1700000034000-run-labels.js";
import { FileLists1700000035000 } from "./migrations/1700000035000-file-lists.js";
import { KeptScripts1700000036000 } from "./migrations/1700000036000-kept-scripts.js";
import { TakenWith1700000037000 } from "./migrations/1700000037000-taken-with.js";
import { HunkKinds1700000038000 } from "./migrations/1700000038000-hunk-kinds.js";
import { NoiseAgain1700000039000 } from "./migrations/1700000039000-noise-again.js";
import { SearchSegments1700000050000 } from "./migrations/1700000050000-search-segments.js";
import { ChannelHolds1700000040000 } from "./migrations/1700000040000-channel-holds.js";
import { Removals1700000043000 } from "./migrations/1700000043000-removals.js";
import { Comparisons1700000033000 } from "./migrations/1700000033000-comparisons.js";
import { FeedsAndRhythm1700000032000 } from "./migrations/1700000032000-feeds-and-rhythm.js";
import { DiffForm1700000027000 } from "./migrations/1700000027000-diff-form.js";
import { Verdicts1700000026000 } from "./migrations/1700000026000-verdicts.js";
import { IgnoreRules1700000025000 } from "./migrations/1700000025000-ignore-rules.js";
import { Access1700000045000 } from "./migrations/1700000045000-access.js";
import { ShareLinks1700000046000 } from "./migrations/1700000046000-share-links.js";
import { ReleaseChecks1700000048000 } from "./migrations/1700000048000-release-checks.js";
import { StartedNames1700000062000 } from "./migrations/1700000062000-started-names.js";
import { SettledAgain1700000063000 } from "./migrations/1700000063000-settled-again.js";
import { NotableChanges1700000064000 } from "./migrations/1700000064000-notable-changes.js";
import { HunksOfRun1700000066000 } from "./migrations/1700000066000-hunks-of-run.js";
import { ChangedFileLists1700000067000 } from "./migrations/1700000067000-changed-file-lists.js";
import { HunkSamples1700000074000 } from "./migrations/1700000074000-hunk-samples.js";
import { WhatKindsLeaveOut1700000075000 } from "./migrations/1700000075000-what-kinds-leave-out.js";
import { HunksInChange1700000080000 } from "./migrations/1700000080000-hunks-in-change.js";
import { ScriptEffects1700000081000 } from "./migrations/1700000081000-script-effects.js";
import { QueuedAddresses1700000082000 } from "./migrations/1700000082000-queued-addresses.js";
import { RemainingRecipients1700000084000 } from "./migrations/1700000084000-remaining-recipients.js";
import { ContentSizes1700000095000 } from "./migrations/1700000095000-content-sizes.js";
import { SentMessages1700000149000 } from "./migrations/1700000149000-sent-messages.js";
import { WholeMessages1700000151000 } from "./migrations/1700000151000-whole-messages.js";
import { Installation1700000152000 } from "./migrations/1700000152000-installation.js";
import { QueuedMessages1700000157000 } from "./migrations/1700000157000-queued-messages.js";
import { ComposedNames1700000158000 } from "./migrations/1700000158000-composed-names.js";
import { TellingFailures1700000159000 } from "./migrations/1700000159000-telling-failures.js";
import { EntriesOfLists1700000162000 } from "./migrations/1700000162000-entries-of-lists.js";
import { WaitingMoves1700000163000 } from "./migrations/1700000163000-waiting-moves.js";
import { SureClock1700000164000 } from "./migrations/1700000164000-sure-clock.js";
import { RefusedRecipients1700000165000 } from "./migrations/1700000165000-refused-recipients.js";
import { StoppedPages1700000166000 } from "./migrations/1700000166000-stopped-pages.js";
import { MetOutages1700000172000 } from "./migrations/1700000172000-met-outages.js";
import { UnreadChanges1700000173000 } from "./migrations/1700000173000-unread-changes.js";

/** All migrations in their order; they need TypeORM only when they run. */
export const migrations = [
  MainJob1700000000000,
  Discovery1700000001000,
  CrawlReports1700000002000,
  Browser1700000003000,
  Assets1700000004000,
  Storage1700000005000,
  Search1700000006000,
  Transfer1700000007000,
  Visual1700000010000,
  Retention1700000011000,
  StoredTotal1700000012000,
  ObjectTotals1700000013000,
  SnapshotTexts1700000014000,
  Removals1700000015000,
  PageFailures1700000016000,
  HeldImports1700000017000,
  CrawlRules1700000018000,
  StatusWords1700000019000,
  ReadyRules1700000020000,
  ComparisonAttempts1700000021000,
  ChangedFiles1700000022000,
  Visitor1700000023000,
  Login1700000024000,
  IgnoreRules1700000025000,
  Verdicts1700000026000,
  DiffForm1700000027000,
  Schedules1700000028000,
  Telling1700000029000,
  Lifecycle1700000030000,
  NoiseAndTags1700000031000,
  FeedsAndRhythm1700000032000,
  Comparisons1700000033000,
  RunLabels1700000034000,
  FileLists1700000035000,
  KeptScripts1700000036000,
  TakenWith1700000037000,
  HunkKinds1700000038000,
  NoiseAgain1700000039000,
  ChannelHolds1700000040000,
  Removals1700000043000,
  Access1700000045000,
  ShareLinks1700000046000,
  ReleaseChecks1700000048000,
  SearchSegments1700000050000,
  StartedNames1700000062000,
  SettledAgain1700000063000,
  NotableChanges1700000064000,
  HunksOfRun1700000066000,
  ChangedFileLists1700000067000,
  HunkSamples1700000074000,
  WhatKindsLeaveOut1700000075000,
  HunksInChange1700000080000,
  ScriptEffects1700000081000,
  QueuedAddresses1700000082000,
  RemainingRecipients1700000084000,
  ContentSizes1700000095000,
  SentMessages1700000149000,
  WholeMessages1700000151000,
  Installation1700000152000,
  QueuedMessages1700000157000,
  ComposedNames1700000158000,
  TellingFailures1700000159000,
  EntriesOfLists1700000162000,
  WaitingMoves1700000163000,
  SureClock1700000164000,
  RefusedRecipients1700000165000,
  StoppedPages1700000166000,
  MetOutages1700000172000,
  UnreadChanges1700000173000,
];

/** Names of all migrations in their order. */
export const migrationNames: readonly string[] = migrations.map((Migration) => new Migration().name);
