const longest = 200;

/** A text of a caller as it may stand in an answer: at most so many characters of it. */
export const brief = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}...` : text);
