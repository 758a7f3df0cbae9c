export type Document = Record<string, unknown>;
export type Scalar = string | number | boolean | null;

/**
 * A collection. Queries can only filter and sort by the fields (dotted paths) in `indexes`. A new index covers only
 * documents that are written later, so rebuild the read model after adding one. `model` is the read model that the
 * collection belongs to; a collection without a model is never rebuilt. `sparseIndexes` are further indexes.
 * Each covers only documents that have its field, so writing the others costs less. Each query of it must compare the field
 * with a value.
 */
export type Collection = {
  name: string;
  indexes: readonly (readonly string[])[];
  sparseIndexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
  model?: string;
};

/** The fields of all indexes of a collection. */
export const allIndexesOf = ({ indexes, sparseIndexes = {} }: Omit<Collection, 'name'>): (readonly string[])[] => [
  ...indexes,
  ...Object.values(sparseIndexes).flat(),
];

export type Query = {
  where: Record<string, Scalar>;
  /** Only documents whose text in the field `by` is at least `from` and less than `before`, by code point. */
  range?: { by: string; from?: string | undefined; before?: string | undefined };
  /** Documents with equal values are sorted by their id. If a document has a field `id`, it is its id. */
  sort?: { by: string; descending: boolean };
  limit: number;
  skip?: number;
};

/**
 * A query for ids. `index` is an index of the collection with all fields of the query. Documents are not read, so that
 * many thousands can be passed over.
 */
export type IdQuery = Query & { index: readonly string[] };

/**
 * A document with its position: in a read model the position of the last event applied to it, elsewhere a version that
 * counts its writes. `document` is null if it was removed. A document that never existed has position 0.
 */
export type PositionedDocument = { document: Document | null; position: number };

/**
 * Where a document is stored. `generation` is '' if the collection belongs to no read model, or the model was never
 * rebuilt.
 */
export type DocumentKey = { collection: string; generation: string; id: string };
export type StoredDocument = DocumentKey & PositionedDocument;

/** Documents that carry their own position, so that late and repeated writes do no harm. */
export type DocumentStore = {
  read(key: DocumentKey): Promise<PositionedDocument>;
  /**
   * Writes each document whose stored version has an older position; skips the others. Removed documents keep their
   * position. Not atomic: a reader may see a part of the batch, and a crash may leave a part unwritten.
   */
  write(documents: readonly StoredDocument[]): Promise<void>;
  /** Writes a document if the stored one has exactly the position `from`. False if it has another. */
  replace(document: StoredDocument, from: number): Promise<boolean>;
};

/** What an engine stores. `create-read-store.ts` implements everything else for all engines. */
export type DocumentEngine = DocumentStore & {
  readMany(collection: string, generation: string, ids: readonly string[]): Promise<Document[]>;
  find(collection: string, generation: string, query: Query): Promise<Document[]>;
  findIds(collection: string, generation: string, query: IdQuery): Promise<string[]>;
  count(collection: string, generation: string, where: Query['where']): Promise<number>;
  /** Creates the indexes of a new generation of a collection. */
  createIndexes(collection: Collection, generation: string): Promise<void>;
  /** All generations that are stored, in use or not. */
  listGenerations(collection: string): Promise<string[]>;
  dropGeneration(collection: string, generation: string): Promise<void>;
  /** The installation that the storage belongs to; null if it belongs to none yet. */
  installationId(): Promise<string | null>;
  /**
   * Assigns storage that belongs to no installation to this one. Resolves, once durable, to the installation id that
   * the storage then has, which may be another one.
   */
  setInstallationId(installation: string): Promise<string>;
  close(): Promise<void>;
};

/** An event that the read models contain. An event log without it is not the one that they were built from. */
export type LastEvent = { stream: string; revision: number; id: string; position: number };

/** The generation of a read model that serves queries, and its position in the event log. */
export type ServingGeneration = { generation: string; position: number };

export class RebuildSuperseded extends Error {
  constructor(model: string) {
    super(`another rebuild of ${model} was started later; this one stops`);
    this.name = 'RebuildSuperseded';
  }
}

export type ReadStore = DocumentStore & {
  get(collection: string, id: string): Promise<Document | null>;
  /** The documents with these ids that exist, in any order, with one query. */
  getMany(collection: string, ids: readonly string[]): Promise<Document[]>;
  /** @throws RangeError for a field that is not in the indexes of the collection */
  find(collection: string, query: Query): Promise<Document[]>;
  /** @throws RangeError as `find` */
  findIds(collection: string, query: IdQuery): Promise<string[]>;
  /** @throws RangeError as `find` */
  count(collection: string, where: Query['where']): Promise<number>;

  /** The serving generation of each of these read models, in this order; not from a cache. */
  servingGenerations(models: readonly string[]): Promise<ServingGeneration[]>;
  /** The position in the event log up to which a read model is built; 0 initially. */
  checkpoint(model: string): Promise<number>;
  /**
   * Moves the checkpoints of models to a position, after their documents are written. `written` has, for each model, the
   * generation that was written and the checkpoint that it was written from. A checkpoint never moves back. False if
   * another generation of a model serves; its checkpoint does not move. Also false if the checkpoint of a model is behind
   * that one, because the storage was emptied or restored: then another, empty generation serves from now on, because
   * the documents just written may lack events. `last` is the event at that position, which `lastEvent` returns later.
   */
  moveCheckpoints(
    written: Readonly<Record<string, ServingGeneration>>,
    position: number,
    last?: LastEvent,
  ): Promise<boolean>;
  /** The last event that was passed to `moveCheckpoints`; null if there is none. */
  lastEvent(): Promise<LastEvent | null>;
  clearLastEvent(): Promise<void>;
  /** Resolves to true once the model's checkpoint has reached `position`, to false after `timeoutMs` or at close. */
  waitForCheckpoint(model: string, position: number, timeoutMs: number): Promise<boolean>;

  /** Starts an empty shadow copy of a read model and resolves to its generation. The serving generation is unchanged. */
  beginRebuild(model: string): Promise<string>;
  /** @throws RebuildSuperseded if another rebuild of the model was started after this one */
  requireShadow(model: string, generation: string): Promise<void>;
  /**
   * Switches over to a shadow copy that is built up to `position`, with one write. False, without a change, if the
   * serving generation is ahead of it. `allow: 'behind'` switches over in this case, too: for an event log that is older
   * than the read models. Other processes may read the replaced generation for a moment, but not after
   * `waitForCheckpoint`.
   * @throws RebuildSuperseded
   */
  switchOver(model: string, built: ServingGeneration, allow?: 'behind'): Promise<boolean>;
  /** Removes a shadow copy that is not needed any more. */
  abandonRebuild(model: string, generation: string): Promise<void>;
  /** Removes generations that neither serve nor are being built, after a second, when no process reads them any more. */
  dropUnusedGenerations(): Promise<void>;

  installationId: DocumentEngine['installationId'];
  setInstallationId: DocumentEngine['setInstallationId'];
  close(): Promise<void>;
};
