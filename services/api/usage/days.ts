/** The month of a moment, `YYYY-MM` in UTC. */
export const monthNow = (now: Date): string => now.toISOString().slice(0, 7);

/** The days (`YYYY-MM-DD`, UTC) of a month (`YYYY-MM`) that have begun at `now`, oldest first. */
export const daysSoFar = (month: string, now: Date): string[] => {
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(5))];
  const length = new Date(Date.UTC(2000 + (year % 400), number, 0)).getUTCDate();
  const days = Array.from({ length }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`);
  const today = now.toISOString().slice(0, 10);
  return days.filter((day) => day <= today);
};
