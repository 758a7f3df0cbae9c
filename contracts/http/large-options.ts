import type { NamedRenderOptions } from './render-options.ts';

/** The options that can be larger than an event. The event of a render refers to a blob with them. */
export const largeOptions = { attachments: true, factur_x: true, watermark: true } as const satisfies {
  [Name in keyof NamedRenderOptions]?: true;
};
type LargeOptionName = keyof typeof largeOptions;

/** The options without the large ones, and the large ones as JSON in UTF-8: null if there are none. */
export const splitLargeOptions = <T extends object>(
  options: T,
): { options: Omit<T, LargeOptionName>; largeOptions: string | null } => {
  const entries = Object.entries(options);
  const isLarge = ([name]: [string, unknown]): boolean => Object.hasOwn(largeOptions, name);
  const large = entries.filter((entry) => isLarge(entry) && entry[1] !== undefined);
  return {
    options: Object.fromEntries(entries.filter((entry) => !isLarge(entry))) as Omit<T, LargeOptionName>,
    largeOptions: large.length === 0 ? null : JSON.stringify(Object.fromEntries(large)),
  };
};

/** @param json what `splitLargeOptions` made, in UTF-8 */
export const parseLargeOptions = (json: Uint8Array): NamedRenderOptions =>
  JSON.parse(new TextDecoder().decode(json)) as NamedRenderOptions;
