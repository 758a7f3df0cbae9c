const skip = /[\s,]*/y;
const address = /\S+/y;
const descriptor = /[^,]*/y;

/** The addresses of a `srcset`, in order. A `data:` address may hold commas, but none at its end. */
export const addressesOfSrcset = (srcset: string): string[] => {
  const found: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const text = pattern.exec(srcset)?.[0] ?? '';
    at += text.length;
    return text;
  };
  while (take(skip), at < srcset.length) {
    const written = take(address);
    found.push(written.replace(/,{1,1000}$/, ''));
    if (!written.endsWith(',')) take(descriptor);
  }
  return found;
};
