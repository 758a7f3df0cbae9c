import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf, step } from '../run-command.mjs';
import { say } from '../output.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(root, 'test/support/ferretdb/server');
const folder = join(root, '.setup/ferretdb');
const building = join(folder, 'building');
const program = join(folder, 'ferretdb');
const stamp = join(folder, 'built-from');

const handler = 'vendor/github.com/FerretDB/FerretDB/internal/handler';
const oneAtATime = (file, name) => ({
  file: `${handler}/${file}`,
  from: `) ${name}(connCtx context.Context, msg *wire.OpMsg) (*wire.OpMsg, error) {`,
  to: `) ${name}(connCtx context.Context, msg *wire.OpMsg) (*wire.OpMsg, error) {\n\twrites.Lock()\n\tdefer writes.Unlock()\n`,
});

const notAtAll = (file, name) => ({
  file,
  from: `func ${name}(obj any, token *Token) {`,
  to: `func ${name}(obj any, token *Token) {\n\treturn\n`,
});

const sqlite = 'vendor/github.com/FerretDB/FerretDB/internal/backends/sqlite';
const resource = 'vendor/github.com/FerretDB/FerretDB/internal/util/resource/resource.go';

/**
 * MongoDB writes a document as one, between reading and writing it nothing comes; FerretDB of this version does not, and two conditional updates
 * can both succeed. Where a filter names the id and something beside it, MongoDB goes by the id, and for an id by its index; FerretDB reads the whole collection,
 * since it has made the index on the id with another expression than it asks for it with. Other indexes than unique ones it keeps and never reads. And it notes the stack
 * for every document that it goes through.
 */
const amendments = [
  oneAtATime('msg_update.go', 'MsgUpdate'),
  oneAtATime('msg_findandmodify.go', 'MsgFindAndModify'),
  oneAtATime('msg_insert.go', 'MsgInsert'),
  oneAtATime('msg_delete.go', 'MsgDelete'),
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
  notAtAll(resource, 'Track'),
  notAtAll(resource, 'Untrack'),
];

const amend = ({ file, from, to }) => {
  const text = readFileSync(join(building, file), 'utf8');
  if (!text.includes(from)) throw new Error(`FerretDB's ${file} no longer reads "${from}": amend the set-up.`);
  writeFileSync(join(building, file), text.replaceAll(from, to));
};

const fingerprint = () => {
  const hash = createHash('sha256').update(JSON.stringify(amendments));
  for (const name of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(source, name)));
  return hash.digest('hex');
};

const isBuilt = (wanted) => existsSync(program) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;

const build = () => {
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  cpSync(source, building, { recursive: true });
  if (!step('FerretDB, a MongoDB for the tests (download)', 'go', ['mod', 'vendor'], {}, building)) return false;
  writeFileSync(join(building, handler, 'writes.go'), 'package handler\n\nimport "sync"\n\nvar writes sync.Mutex\n');
  amendments.forEach(amend);
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
  return step(
    'FerretDB, a MongoDB for the tests (build, takes a minute or two)',
    'go',
    compile,
    { CGO_ENABLED: '0' },
    building,
  );
};

/** Builds the server unless it is there; without Go the tests that need it are skipped. */
export const ensure = () => {
  const wanted = fingerprint();
  if (isBuilt(wanted)) return;
  if (outputOf('go', ['version']) === undefined)
    return say('Go is not there: the tests against a MongoDB-compatible server are skipped.');
  if (!build()) return say('The tests against a MongoDB-compatible server are skipped.');
  renameSync(join(building, 'ferretdb'), program);
  writeFileSync(stamp, wanted);
  rmSync(building, { recursive: true, force: true });
};
