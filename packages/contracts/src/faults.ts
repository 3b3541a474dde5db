/**
 * The texts of faults that screens say in the reader's language, by code, here in English without a full stop; the web application's
 * catalogues have the other languages. `{name}` is a placeholder.
 */
export const faultTexts = {
  always_quiet: "Each of its times falls within the quiet hours from {from} until {until}",
  cron_day:
    "The day of the month (field 3 of 5) cannot be “{value}”: allowed are numbers from 1 to 31, L for the last day, ranges upwards (1-7), steps (*/2) and * for each",
  cron_fields: "A cron expression has five fields (minute, hour, day, month, day of the week), this one has {count}",
  cron_hour:
    "The hour (field 2 of 5) cannot be “{value}”: allowed are numbers from 0 to 23, lists (8,12), ranges upwards (8-17), steps (*/2) and * for each",
  cron_minute:
    "The minute (field 1 of 5) cannot be “{value}”: allowed are numbers from 0 to 59, lists (0,30), ranges upwards (0-29), steps (*/15) and * for each",
  cron_month:
    "The month (field 4 of 5) cannot be “{value}”: allowed are numbers from 1 to 12, names (JAN), ranges upwards (6-8), steps (*/3) and * for each",
  cron_never: "There is no such day: it would never be due",
  cron_short_form:
    "“{value}” is no short form of a cron expression: there are @hourly, @daily, @weekly, @monthly and @yearly",
  cron_unreadable: "This is no cron expression: {reason}",
  cron_weekday:
    "The day of the week (field 5 of 5) cannot be “{value}”: allowed are numbers from 0 (Sunday) to 6, names (MON), ranges upwards (1-5) and * for each",
  path_missing: "Say which pages it fetches: a path such as /shop/*",
  route_exists: "There is such a route already: the channel would be told everything twice",
  rule_exists: "There is such a rule already: it ignores the same on the same pages",
  rule_exists_off: "There is such a rule already, but it is switched off: switch it on",
} as const;
export type FaultCode = keyof typeof faultTexts;

/** What is wrong: a code with the values of its text, for translations, and the text in English. */
export interface CodedFault {
  code: FaultCode;
  values: Readonly<Record<string, string | number>>;
  message: string;
}

/** Makes a fault that every reader can get in their own language. */
export const codedFault = (code: FaultCode, values: CodedFault["values"] = {}): CodedFault => ({
  ...{ code, values },
  message: faultTexts[code].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? "")),
});
