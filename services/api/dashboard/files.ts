import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

type Encoding = 'br' | 'gzip';
/** A file of the dashboard in memory, with its compressed forms. */
export type DashboardFile = {
  contentType: string;
  content: Buffer;
  compressed: Partial<Record<Encoding, Buffer>>;
  etag: string;
};
/** The page, and the other files by their path below /dashboard. */
export type DashboardFiles = { index: string; files: ReadonlyMap<string, DashboardFile> };

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const encodings: Record<string, Encoding> = { '.br': 'br', '.gz': 'gzip' };

const isNotFound = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Reads the files that the set-up has built. Null if it has not built them. */
export const readDashboardFiles = (folder: string): DashboardFiles | null => {
  try {
    const index = readFileSync(join(folder, 'index.html'), 'utf8');
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    const files = new Map<string, DashboardFile>();
    for (const name of names) {
      const contentType = contentTypes[extname(name)];
      if (contentType === undefined) continue;
      const content = readFileSync(join(folder, name));
      const etag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
      files.set(name.replaceAll(sep, '/'), { contentType, content, compressed: {}, etag });
    }
    for (const name of names) {
      const extension = extname(name);
      const file = files.get(name.slice(0, -extension.length).replaceAll(sep, '/'));
      const encoding = encodings[extension];
      if (file && encoding) file.compressed[encoding] = readFileSync(join(folder, name));
    }
    return { index, files };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
};
