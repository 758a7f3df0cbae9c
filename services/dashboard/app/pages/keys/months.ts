const twoDigits = (value: number): string => String(value).padStart(2, '0');
const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The current month and those before it in UTC, newest first: YYYY-MM, and its name. */
export const recentMonths = (count: number, now = new Date()): { value: string; label: string }[] =>
  Array.from({ length: count }, (_, ago) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1));
    return {
      value: `${month.getUTCFullYear()}-${twoDigits(month.getUTCMonth() + 1)}`,
      label: monthName.format(month),
    };
  });
