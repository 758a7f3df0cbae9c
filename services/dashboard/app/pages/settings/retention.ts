import { strings } from '../../strings/strings.ts';

const texts = strings.settings;
const hour = 60;
const day = 24 * hour;

/** Minutes in the largest unit without a rest, such as "1 day". */
export const formatMinutes = (minutes: number): string => {
  if (minutes % day === 0) return texts.days(minutes / day);
  return minutes % hour === 0 ? texts.hours(minutes / hour) : texts.minutes(minutes);
};

const usual = [10, 30, hour, 6 * hour, day, 3 * day, 7 * day, 30 * day, 90 * day];

/** The times to choose from, in minutes: usual ones within the limits, the longest, and the present one. */
export const retentionChoices = (min: number, max: number, present: number | null): number[] => {
  const within = [...usual, max].filter((minutes) => minutes >= min && minutes <= max);
  return [...new Set(present === null ? within : [...within, present])].toSorted((a, b) => a - b);
};
