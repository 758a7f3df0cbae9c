/** A number with its noun: "1 render", "1,204 renders". */
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : many}`;
