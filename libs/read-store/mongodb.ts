import { randomUUID } from 'node:crypto';
import { type Connection, type Database, documentsIn, openConnection } from '#libs/mongodb/connection.ts';
import { openMark } from '#libs/mongodb/mark.ts';
import { requireDeclared } from './declared.ts';
import { filterOf, orderOf, type Stored } from './mongodb-documents.ts';
import { openLayout } from './mongodb-layout.ts';
import { type Ledger, positionIn, prepareLedger, servingPlace } from './mongodb-ledger.ts';
import { openPulse } from './mongodb-pulse.ts';
import { beginRebuild, exchange } from './mongodb-rebuild.ts';
import { take } from './mongodb-steps.ts';
import { copyView, heldIn, createWriter, parsed, serving, stepOf, type View, type Wanted } from './mongodb-writer.ts';
import type { Collection, ModelWriter, ReadStore } from './port.ts';

/**
 * Read models in MongoDB, shared by any number of processes. While a step is being written readers may see a part of it; a model's checkpoint moves
 * when all of it is there. `setting` is where the address stands, for messages.
 */
export const openMongoReadStore = async (url: string, collections: readonly Collection[], setting = 'READ_STORE_URL'): Promise<ReadStore & Pick<Connection, 'missing'>> => {
  const layout = openLayout(collections);
  const requireFields = requireDeclared(collections);
  const pulse = openPulse();
  const connection = openConnection(url, setting, async (db) => {
    await prepareLedger(db, collections);
    await layout.prepare(db);
  });

  /** Where other collections have come to serve, the step goes into those. */
  const apply = async (db: Database, wanted: Wanted): Promise<boolean> => {
    const id = randomUUID();
    const attempt = (ledger: Ledger): ReturnType<typeof take> => take(db, { id, ...stepOf({ view: serving, layout }, ledger, wanted) });
    let outcome = await attempt(await layout.known(db));
    while (outcome === 'changed') outcome = await attempt(await layout.fresh(db));
    if (outcome === 'taken') pulse.beat();
    return outcome === 'taken';
  };
  const checkpointOf = async (db: Database, model: string): Promise<number> => positionIn(await layout.fresh(db), model);

  const writerOf = (view: View): ModelWriter => createWriter({ connection, layout, view, onTaken: () => pulse.beat() });

  return {
    get: async (collection, id) => (await connection.use(async (db) => heldIn(db, servingPlace(await layout.known(db), collection), id))).document,
    checkpoint: (model) => connection.use((db) => checkpointOf(db, model)),
    apply: (model, from, to, changes) => connection.use((db) => apply(db, { from, to, updates: [{ model, changes }] })),
    writer: () => writerOf(serving),
    find: (collection, { where, range, sort, limit, skip = 0 }) =>
      connection.use(async (db) => {
        requireFields(collection, { where, ...(range && { range }), ...(sort && { sort }) });
        if (limit === 0) return [];
        const { name, prefix } = servingPlace(await layout.known(db), collection);
        const found = documentsIn<Stored>(db, name).find(filterOf(prefix, where, range) as object, { projection: { json: 1 }, sort: orderOf(sort), limit, skip, batchSize: limit });
        return (await found.toArray()).map(parsed);
      }),
    count: (collection, where) =>
      connection.use(async (db) => {
        requireFields(collection, { where });
        const { name, prefix } = servingPlace(await layout.known(db), collection);
        return documentsIn<Stored>(db, name).countDocuments(filterOf(prefix, where));
      }),
    reached: (model, position, timeoutMs) => pulse.until(async () => connection.closed() || (await connection.use((db) => checkpointOf(db, model))) >= position, timeoutMs).then((there) => there && !connection.closed()),
    reset: (model, names) => connection.use((db) => exchange(db, layout, model, names)),
    rebuild: (model, names) =>
      connection.use(async (db) => {
        const { generation, switchOver, forget, abandon } = await beginRebuild(db, layout, model, names);
        const switchAndForget = async (): Promise<boolean> => {
          const switched = await connection.use(switchOver);
          // Nobody has to wait for it: what is left is removed by the next rebuild.
          if (switched) connection.use(forget).catch(() => undefined);
          return switched;
        };
        return { copy: writerOf(copyView(layout, model, generation, names)), switchOver: switchAndForget, abandon: () => connection.use(abandon) };
      }),
    ...openMark(connection, 'installation', 'readModels'),
    missing: () => connection.missing(),
    close: async () => {
      pulse.stop();
      await connection.close();
    },
  };
};
