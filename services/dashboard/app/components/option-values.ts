/** The options of a render by their names in the API; those without a value have their defaults. */
export type RenderOptionValues = Record<string, unknown>;

export const asObject = (value: unknown): RenderOptionValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RenderOptionValues) : {};

/** The object with another value of one field; undefined if nothing is left. */
export const withValue = (values: RenderOptionValues, name: string, value: unknown): RenderOptionValues | undefined => {
  const { [name]: _, ...others } = values;
  const changed = value === undefined ? others : { ...others, [name]: value };
  return Object.keys(changed).length === 0 ? undefined : changed;
};

/** The options with another value of one of them; undefined for its default. */
export const withOption = (options: RenderOptionValues, name: string, value: unknown): RenderOptionValues =>
  withValue(options, name, value) ?? {};

const countOf = (value: unknown): number => {
  if (value === undefined) return 0;
  if (Array.isArray(value)) return value.length;
  const parts = Object.values(asObject(value));
  return parts.length === 0
    ? 1
    : parts.reduce<number>((sum, part) => sum + (Array.isArray(part) ? 1 : countOf(part)), 0);
};

/** How many options have a value. Each field of an object counts, and each attached file. */
export const countSet = (options: RenderOptionValues, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + countOf(options[name]), 0);

/** The value as the text of a field. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

/** The bytes of a file in base64. */
export const toBase64 = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve(url.slice(url.indexOf(',') + 1));
    });
    reader.addEventListener('error', () => reject(reader.error ?? new Error(file.type)));
    reader.readAsDataURL(file);
  });

/** The size of a file in bytes, by its base64. */
export const sizeOfBase64 = (data: string): number =>
  Math.floor((data.length * 3) / 4) - (/=*$/.exec(data)?.[0].length ?? 0);
