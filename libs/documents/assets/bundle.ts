import { z } from 'zod';

/** A part `assets` of a request: its name as sent, such as `img/logo.png`, and the content type of the part, if any. */
export type Asset = { name: string; type: string | null; bytes: Uint8Array };

const manifest = z.object({
  version: z.literal(1),
  assets: z.array(z.object({ name: z.string(), type: z.string().nullable(), size: z.number().int().min(0) })),
});

const lengthBytes = 4;

/**
 * All assets of a render as one blob: the length of the manifest (4 bytes, big-endian), the manifest in JSON, and the
 * bytes of the assets one after the other. The result has a buffer of its own, so that it can be transferred.
 */
export const encodeBundle = (assets: readonly Asset[]): Uint8Array => {
  const header = Buffer.from(
    JSON.stringify({
      version: 1,
      assets: assets.map(({ name, type, bytes }) => ({ name, type, size: bytes.byteLength })),
    } satisfies z.input<typeof manifest>),
  );
  const size = assets.reduce((sum, { bytes }) => sum + bytes.byteLength, lengthBytes + header.byteLength);
  const bundle = new Uint8Array(size);
  new DataView(bundle.buffer).setUint32(0, header.byteLength);
  bundle.set(header, lengthBytes);
  let offset = lengthBytes + header.byteLength;
  for (const { bytes } of assets) {
    bundle.set(bytes, offset);
    offset += bytes.byteLength;
  }
  return bundle;
};

/** The assets of a bundle, in their order. Their bytes are parts of the bundle. @throws Error if it is not a bundle */
export const decodeBundle = (bundle: Uint8Array): Asset[] => {
  const view = new DataView(bundle.buffer, bundle.byteOffset, bundle.byteLength);
  let offset = lengthBytes + view.getUint32(0);
  const { assets } = manifest.parse(
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bundle.subarray(lengthBytes, offset))),
  );
  const decoded = assets.map(({ name, type, size }) => {
    const bytes = bundle.subarray(offset, offset + size);
    offset += size;
    return { name, type, bytes };
  });
  if (offset !== bundle.byteLength) throw new Error('the bundle of assets has another size than its manifest says');
  return decoded;
};
