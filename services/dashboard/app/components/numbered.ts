/** Items with their numbers from `first` on, as keys of rows that may have equal texts. */
export const numbered = <T>(items: readonly T[], first = 1): { number: number; item: T }[] =>
  items.map((item, index) => ({ number: first + index, item }));
