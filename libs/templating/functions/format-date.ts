import dayjs from 'dayjs';
import advancedFormat from 'dayjs/plugin/advancedFormat.js';
import isoWeek from 'dayjs/plugin/isoWeek.js';
import localizedFormat from 'dayjs/plugin/localizedFormat.js';
import timezone from 'dayjs/plugin/timezone.js';
import utc from 'dayjs/plugin/utc.js';
import weekOfYear from 'dayjs/plugin/weekOfYear.js';
import weekYear from 'dayjs/plugin/weekYear.js';
import { isoDateAllowed, readIsoDate } from '../iso-date.ts';
import { limits } from '../limits.ts';
import type { ValueHelper } from './argument.ts';
import { quoted, refuse, refuseOption } from './argument.ts';
import { dayjsLocaleOf } from './dayjs-locale.ts';

for (const plugin of [utc, timezone, advancedFormat, localizedFormat, weekOfYear, weekYear, isoWeek]) dayjs.extend(plugin);

/** The name of a time zone and the number or year of a week take as long to find as so many characters take to read. */
const slowToken = { pattern: /zzz|z|[wW]{1,2}|g{4}|G{4}/g, characters: 3_200 };

/**
 * A date in a format such as DD/MM/YYYY or D MMMM YYYY, HH:mm, with the month and day names of the locale. A date-time with an
 * offset is shown in the time zone; one without, like a plain date, says what it says everywhere. Null is empty.
 */
export const formatDate: ValueHelper = (call, subject, format) => {
  if (typeof format.value !== 'string' || format.value.length > limits.dateFormat) {
    return refuseOption(call, subject, format, `the format given to formatDate is ${quoted(format.value)}; a text of up to ${limits.dateFormat} characters such as "DD/MM/YYYY" is allowed.`);
  }
  if (subject.value === null) return '';
  call.reads(slowToken.characters * (format.value.match(slowToken.pattern)?.length ?? 0));
  const date = readIsoDate(subject.value);
  if (!date) return refuse(call, subject, `"${subject.written}" is ${quoted(subject.value)}, which is no date; ${isoDateAllowed}.`);
  const instant = dayjs.utc(date.epochMs);
  const shown = date.floating || call.timeZone === 'UTC' ? instant : instant.tz(call.timeZone);
  return shown.locale(dayjsLocaleOf(call.locale)).format(format.value);
};
