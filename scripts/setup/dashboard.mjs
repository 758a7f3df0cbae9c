// Plain JavaScript: the set-up runs it on an old Node. Also a command: node scripts/setup/dashboard.mjs
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { argv, pid } from 'node:process';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { fail, SetupError } from './output.mjs';
import { runStep } from './run-command.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'services/dashboard');
const output = join(sources, 'dist');

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });

/** Changes with everything that the built files depend on. */
const hashOfSources = () => {
  const hash = createHash('sha256');
  const files = [...filesIn(join(sources, 'app')), join(sources, 'vite.config.ts'), join(root, 'package-lock.json')];
  for (const file of [...files, fileURLToPath(import.meta.url)])
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
};

const isBuilt = (hash) => {
  try {
    return readFileSync(join(output, 'sources.sha256'), 'utf8') === hash;
  } catch {
    return false;
  }
};

const minCompressedBytes = 512;

/** Writes a .br and a .gz file beside each text. The service only sends them. */
const compress = (folder) => {
  for (const file of filesIn(folder).filter((path) => /\.(?:js|mjs|css|svg)$/.test(path))) {
    const content = readFileSync(file);
    if (content.length < minCompressedBytes) continue;
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
    writeFileSync(`${file}.br`, brotliCompressSync(content, quality));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
};

/** Builds the dashboard unless it is built from these sources already. Another process can do the same meanwhile. */
export const ensureDashboard = () => {
  // The image has the built files only.
  if (!existsSync(join(sources, 'app'))) return;
  const hash = hashOfSources();
  if (isBuilt(hash)) return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  if (!existsSync(vite)) throw new SetupError('The dashboard cannot be built without Vite: run npm install.');
  const folder = `${output}-${pid}`;
  const args = [vite, 'build', '--config', join(sources, 'vite.config.ts'), '--outDir', folder, '--logLevel', 'warn'];
  try {
    if (!runStep('Dashboard', join(root, 'node_modules/.bin/node'), args, {}, dirname(sources)))
      throw new SetupError('The dashboard could not be built; the reason is above.');
    compress(folder);
    writeFileSync(join(folder, 'sources.sha256'), hash);
    rmSync(output, { recursive: true, force: true });
    renameSync(folder, output);
  } catch (error) {
    if (!isBuilt(hash)) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (argv[1] === fileURLToPath(import.meta.url)) {
  try {
    ensureDashboard();
  } catch (error) {
    fail(error);
  }
}
