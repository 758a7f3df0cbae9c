import { Zip, ZipPassThrough } from 'fflate';

/** A ZIP file to which files are added one after the other. The same files and date give the same bytes. */
export type ZipWriter = { add: (name: string, bytes: Uint8Array) => void; size: () => number; end: () => Uint8Array };

/** @param modifiedAt the date of all files, in UTC; ZIP files have whole seconds from 1980 */
export const openZip = (modifiedAt: Date): ZipWriter => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
    size += chunk.byteLength;
  });
  return {
    add: (name, bytes) => {
      const file = new ZipPassThrough(name);
      // fflate writes the local time.
      file.mtime = new Date(modifiedAt.getTime() + modifiedAt.getTimezoneOffset() * 60_000);
      zip.add(file);
      file.push(bytes, true);
    },
    size: () => size,
    end: () => {
      zip.end();
      return Buffer.concat(chunks, size);
    },
  };
};
