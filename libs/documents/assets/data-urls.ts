import { hash } from 'node:crypto';
import { ApiError } from '#contracts/http/api-error.ts';

/**
 * Short placeholders for data: URLs, which replace them at the end. So large assets take no part in parsing, and a URL
 * that is used several times exists once until then.
 */
export type DataUrls = {
  /** The placeholder of the data: URL with this key. `create` is called once, at the first use. */
  placeholderOf: (key: string, name: string, create: () => string) => string;
  /**
   * Puts the data: URLs in place of their placeholders. @throws ApiError conversion_failed if the text becomes too
   * large
   */
  complete: (text: string) => string;
};

/** How much larger a text may become than its assets: enough for many uses of small images, or a few of a large one. */
const maxGrowth = 16 * 1024 * 1024;

/** What the placeholders of all assets begin with. */
export const placeholderStart = 'data:,colophon-';

/** @param bundle all assets; its hash makes the placeholders different from any text of a caller */
export const createDataUrls = (bundle: Uint8Array): DataUrls => {
  const prefix = `${placeholderStart}${hash('sha256', bundle, 'hex').slice(0, 32)}-`;
  const pattern = new RegExp(`${prefix}(\\d+)\\.`, 'g');
  const indexes = new Map<string, number>();
  const urls: { name: string; url: string }[] = [];
  const maxLength = maxGrowth + 2 * bundle.byteLength;

  const tooLarge = (text: string): ApiError => {
    const uses = new Map<number, number>();
    for (const [, index] of text.matchAll(pattern)) uses.set(Number(index), (uses.get(Number(index)) ?? 0) + 1);
    const bytesOf = ([index, count]: [number, number]): number => urls[index]!.url.length * count;
    const [index, count] = [...uses].toSorted((a, b) => bytesOf(b) - bytesOf(a))[0]!;
    const maxMb = Math.floor(maxLength / 1024 / 1024);
    return ApiError.of(
      'conversion_failed',
      `With its assets the document has more than ${maxMb} MB, because each use of an asset adds its size. The asset ` +
        `"${urls[index]!.name.slice(0, 200)}" is used ${count} times: use a smaller file, or use it less often.`,
      { details: { reason: 'assets too large', limit_mb: maxMb } },
    );
  };

  return {
    placeholderOf: (key, name, create) => {
      const known = indexes.get(key);
      if (known !== undefined) return `${prefix}${known}.`;
      const url = create();
      indexes.set(key, urls.length);
      urls.push({ name, url });
      return `${prefix}${urls.length - 1}.`;
    },
    complete: (text) => {
      if (!text.includes(prefix)) return text;
      let length = text.length;
      for (const [, index] of text.matchAll(pattern)) length += urls[Number(index)]!.url.length;
      if (length > maxLength) throw tooLarge(text);
      return text.replaceAll(pattern, (_, index: string) => urls[Number(index)]!.url);
    },
  };
};
