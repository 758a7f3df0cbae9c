import type { Attachment } from './attachments.ts';
import type { NamedRenderOptions } from './render-options.ts';

/** The options that can be larger than an event. The event of a render refers to a blob with them. */
export const largeOptions = { attachments: true, factur_x: true, watermark: true } as const satisfies {
  [Name in keyof NamedRenderOptions]?: true;
};
type LargeOptionName = keyof typeof largeOptions;
export type LargeOptions = Pick<NamedRenderOptions, LargeOptionName>;

/** The options without the large ones, and the large ones: null if there are none. */
export const splitLargeOptions = <T extends LargeOptions>(
  options: T,
): { options: Omit<T, LargeOptionName>; largeOptions: LargeOptions | null } => {
  const entries = Object.entries(options);
  const isLarge = ([name]: [string, unknown]): boolean => Object.hasOwn(largeOptions, name);
  const large = entries.filter((entry) => isLarge(entry) && entry[1] !== undefined);
  return {
    options: Object.fromEntries(entries.filter((entry) => !isLarge(entry))) as Omit<T, LargeOptionName>,
    largeOptions: large.length === 0 ? null : (Object.fromEntries(large) as LargeOptions),
  };
};

/** The JSON of an attachment has the size of its file in place of the file. */
type EncodedAttachment = Omit<Attachment, 'data'> & { data: string | { size: number } };
type EncodedOptions = Omit<LargeOptions, 'attachments'> & { attachments?: EncodedAttachment[] };

const lineFeed = 0x0a;

/**
 * The options as bytes: one line of JSON in UTF-8. If attachments are bytes and not base64, these follow after a line
 * feed, because JSON of megabytes would block the event loop.
 */
export const encodeLargeOptions = ({ attachments, ...others }: LargeOptions): Uint8Array => {
  const files: Uint8Array[] = [];
  const encode = ({ data, ...file }: Attachment): EncodedAttachment => {
    if (typeof data === 'string') return { ...file, data };
    files.push(data);
    return { ...file, data: { size: data.byteLength } };
  };
  const encoded: EncodedOptions = { ...(attachments && { attachments: attachments.map(encode) }), ...others };
  const json = new TextEncoder().encode(JSON.stringify(encoded));
  return files.length === 0 ? json : Buffer.concat([json, Uint8Array.of(lineFeed), ...files]);
};

/** @param bytes what {@link encodeLargeOptions} made; the files are views of them */
export const decodeLargeOptions = (bytes: Uint8Array): LargeOptions => {
  const endOfJson = bytes.indexOf(lineFeed);
  const json = endOfJson === -1 ? bytes : bytes.subarray(0, endOfJson);
  const { attachments, ...others } = JSON.parse(new TextDecoder().decode(json)) as EncodedOptions;
  let start = json.byteLength + 1;
  const decode = ({ data, ...file }: EncodedAttachment): Attachment => {
    if (typeof data === 'string') return { ...file, data };
    const end = start + data.size;
    const decoded = { ...file, data: bytes.subarray(start, end) };
    start = end;
    return decoded;
  };
  return { ...(attachments && { attachments: attachments.map(decode) }), ...others };
};
