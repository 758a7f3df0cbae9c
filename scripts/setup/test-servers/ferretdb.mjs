import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOutput, runStep } from '../run-command.mjs';
import { printStatus } from '../output.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(root, 'test/support/ferretdb/server');
const folder = join(root, '.setup/ferretdb');
const buildFolder = join(folder, 'building');
const executable = join(folder, 'ferretdb');
const buildStampFile = join(folder, 'built-from');

const handler = 'vendor/github.com/FerretDB/FerretDB/internal/handler';
const withWriteLock = (file, name) => ({
  file: `${handler}/${file}`,
  from: `) ${name}(connCtx context.Context, msg *wire.OpMsg) (*wire.OpMsg, error) {`,
  to: `) ${name}(connCtx context.Context, msg *wire.OpMsg) (*wire.OpMsg, error) {\n\twrites.Lock()\n\tdefer writes.Unlock()\n`,
});

const disableFunction = (file, name) => ({
  file,
  from: `func ${name}(obj any, token *Token) {`,
  to: `func ${name}(obj any, token *Token) {\n\treturn\n`,
});

const sqlite = 'vendor/github.com/FerretDB/FerretDB/internal/backends/sqlite';
const resource = 'vendor/github.com/FerretDB/FerretDB/internal/util/resource/resource.go';

/**
 * Makes this version of FerretDB behave like MongoDB where the tests need it:
 * - Two conditional updates of a document can both succeed: the patches let one write run at a time.
 * - A filter with an id and another field reads the whole collection, and the index on the id has another expression
 *   than the queries: the patches make both use the index.
 * - It maintains indexes that are not unique, but never reads them: the patches do not create them.
 * - It records a stack trace for every document: the patches turn this off.
 */
const patches = [
  withWriteLock('msg_update.go', 'MsgUpdate'),
  withWriteLock('msg_findandmodify.go', 'MsgFindAndModify'),
  withWriteLock('msg_insert.go', 'MsgInsert'),
  withWriteLock('msg_delete.go', 'MsgDelete'),
  { file: `${sqlite}/collection.go`, from: 'if params.Filter.Len() == 1 {', to: 'if params.Filter.Len() > 0 {' },
  {
    file: `${sqlite}/metadata/metadata.go`,
    from: `IDColumn = DefaultColumn + "->'$._id'"`,
    to: 'IDColumn = DefaultColumn + `->"_id"`',
  },
  {
    file: `${sqlite}/metadata/registry.go`,
    from: 'if _, err := db.ExecContext(ctx, q); err != nil {\n\t\t\t_ = r.indexesDrop',
    to: 'if !index.Unique {\n\t\t\tq = "SELECT 1"\n\t\t}\n\n\t\tif _, err := db.ExecContext(ctx, q); err != nil {\n\t\t\t_ = r.indexesDrop',
  },
  disableFunction(resource, 'Track'),
  disableFunction(resource, 'Untrack'),
];

const applyPatch = ({ file, from, to }) => {
  const text = readFileSync(join(buildFolder, file), 'utf8');
  if (!text.includes(from))
    throw new Error(`FerretDB's ${file} no longer contains "${from}": update the patches in scripts/setup.`);
  writeFileSync(join(buildFolder, file), text.replaceAll(from, to));
};

const sourceHash = () => {
  const hash = createHash('sha256').update(JSON.stringify(patches));
  for (const name of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(source, name)));
  return hash.digest('hex');
};

const isBuilt = (wanted) =>
  existsSync(executable) && existsSync(buildStampFile) && readFileSync(buildStampFile, 'utf8') === wanted;

const build = () => {
  rmSync(buildFolder, { recursive: true, force: true });
  mkdirSync(buildFolder, { recursive: true });
  cpSync(source, buildFolder, { recursive: true });
  if (!runStep('FerretDB, a MongoDB for the tests (download)', 'go', ['mod', 'vendor'], {}, buildFolder)) return false;
  writeFileSync(join(buildFolder, handler, 'writes.go'), 'package handler\n\nimport "sync"\n\nvar writes sync.Mutex\n');
  patches.forEach(applyPatch);
  const compile = [
    'build',
    '-mod=vendor',
    '-trimpath',
    '-tags',
    'ferretdb_sqlite',
    '-ldflags=-s -w',
    '-o',
    'ferretdb',
    '.',
  ];
  return runStep(
    'FerretDB, a MongoDB for the tests (build, takes a minute or two)',
    'go',
    compile,
    { CGO_ENABLED: '0' },
    buildFolder,
  );
};

const hasGo = () => commandOutput('go', ['version']) !== undefined;

/** Builds the server, if Go is installed and this version is not built already. */
export const buildWithGo = () => {
  const wanted = sourceHash();
  if (isBuilt(wanted) || !hasGo() || !build()) return;
  renameSync(join(buildFolder, 'ferretdb'), executable);
  writeFileSync(buildStampFile, wanted);
  rmSync(buildFolder, { recursive: true, force: true });
};

/** Builds the server with Go. Without the server, the tests that need it are skipped. */
export const ensure = () => {
  buildWithGo();
  if (isBuilt(sourceHash())) return;
  const reason = hasGo() ? 'FerretDB could not be built' : 'Go is not installed';
  printStatus(`${reason}: the tests that need a MongoDB-compatible server are skipped.`);
};
