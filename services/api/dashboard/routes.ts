import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { etagFor, matchesIfNoneMatch } from '../server/etag.ts';
import { landingPage, notBuiltPage } from './landing-page.ts';
import { dashboardPolicy, sendPage, setSafeHeaders, staticPagePolicy } from './page-headers.ts';

type Encoding = 'br' | 'gzip';
/** A file of the dashboard in memory, with its compressed forms. */
type DashboardFile = {
  contentType: string;
  content: Buffer;
  compressed: Partial<Record<Encoding, Buffer>>;
  etag: string;
};
/** The page, and the other files by their path below /dashboard. */
type DashboardFiles = { index: string; files: ReadonlyMap<string, DashboardFile> };

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const encodings: Record<string, Encoding> = { '.br': 'br', '.gz': 'gzip' };

const folder = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));

/** Reads the files that the set-up has built. Null if it has not built them. */
const readDashboardFiles = (): DashboardFiles | null => {
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
      files.set(name.replaceAll(sep, '/'), { contentType, content, compressed: {}, etag: etagFor(content) });
    }
    for (const name of names) {
      const extension = extname(name);
      const file = files.get(name.slice(0, -extension.length).replaceAll(sep, '/'));
      const encoding = encodings[extension];
      if (file && encoding) file.compressed[encoding] = readFileSync(join(folder, name));
    }
    return { index, files };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/** Vite writes it where the nonce belongs. */
const noncePlaceholder = '{{nonce}}';

const sendIndex = (reply: FastifyReply, { index }: DashboardFiles): FastifyReply => {
  const nonce = randomBytes(16).toString('base64');
  return sendPage(reply, index.replaceAll(noncePlaceholder, nonce), dashboardPolicy(nonce));
};

const sendFile = (request: FastifyRequest, reply: FastifyReply, file: DashboardFile): FastifyReply => {
  setSafeHeaders(reply)
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('etag', file.etag)
    .header('vary', 'accept-encoding');
  if (matchesIfNoneMatch(request, file.etag)) return reply.code(304).send();
  const accepted = new Negotiator(request.raw).encodings(['br', 'gzip', 'identity']);
  const encoding = accepted.find((name) => name === 'identity' || file.compressed[name as 'br'] !== undefined);
  const body = file.compressed[encoding as 'br'];
  if (body) reply.header('content-encoding', encoding);
  return reply.type(file.contentType).send(body ?? file.content);
};

const hasSessionCookie = ({ headers }: FastifyRequest): boolean =>
  /(?:^|;)\s*(?:__Host-)?colophon_session=[^;]/.test(headers.cookie ?? '');

/**
 * Serves the dashboard at /dashboard, and at / a page for people who are not signed in. The files are read at the first
 * request; only a process that starts after a new build serves it.
 */
export const registerDashboard = (app: FastifyInstance, baseUrl: string): void => {
  let read: { files: DashboardFiles | null } | undefined;
  const builtFiles = (): DashboardFiles | null => {
    // Without files the next request looks again, so that a build takes effect without a restart.
    if (!read?.files) read = { files: readDashboardFiles() };
    return read.files;
  };

  const landing = landingPage(baseUrl);
  app.get('/', async (request, reply) =>
    hasSessionCookie(request)
      ? setSafeHeaders(reply).header('cache-control', 'no-store').redirect('/dashboard', 303)
      : sendPage(reply, landing.html, staticPagePolicy(landing.styleHash)),
  );

  const serve = async (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    const path = request.params['*'] ?? '';
    const built = builtFiles();
    const file = built?.files.get(path);
    if (file) return sendFile(request, reply, file);
    if (/\.[^/]*$/.test(path)) {
      reply.callNotFound();
      return reply;
    }
    if (built) return sendIndex(reply, built);
    const page = notBuiltPage();
    return sendPage(reply.code(503), page.html, staticPagePolicy(page.styleHash));
  };
  app.get('/dashboard', serve);
  app.get('/dashboard/*', serve);
};
