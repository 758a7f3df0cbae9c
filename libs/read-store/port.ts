export type Document = Record<string, unknown>;
export type Scalar = string | number | boolean | null;

/**
 * A collection with the fields (dotted paths) that its queries filter and sort by, and no others. An index that is
 * added later finds only documents written from then on: rebuild the read model. `model` is the read model that the
 * collection belongs to; without it the collection belongs to none and is never rebuilt.
 */
export type Collection = { name: string; indexes: readonly (readonly string[])[]; model?: string };

export type Query = {
  where: Record<string, Scalar>;
  /** Only documents whose text in the field `by` is at least `from` and below `before`, by code point. */
  range?: { by: string; from?: string | undefined; before?: string | undefined };
  sort?: { by: string; descending: boolean };
  limit: number;
  skip?: number;
};

/**
 * A document with its position: in a read model that of the last event folded into it, elsewhere a version that counts
 * its writes. `document` is null where it was removed; the position of one that never was there is 0.
 */
export type PositionedDocument = { document: Document | null; position: number };

/**
 * Where a document is stored. `generation` is '' where the collection belongs to no read model, or the model was never
 * rebuilt.
 */
export type DocumentKey = { collection: string; generation: string; id: string };
export type StoredDocument = DocumentKey & PositionedDocument;

/** Documents that say themselves how far they are, so that every write is harmless where it is late or repeated. */
export type DocumentStore = {
  read(key: DocumentKey): Promise<PositionedDocument>;
  /**
   * Writes each document where the stored one is at an older position, and leaves the others. Removed documents keep
   * their position. Not atomic: a reader may see some of them first, and a crash may leave some of them unwritten.
   */
  write(documents: readonly StoredDocument[]): Promise<void>;
  /** Writes one document where the stored one is at exactly the position `from`. False where it is elsewhere. */
  replace(document: StoredDocument, from: number): Promise<boolean>;
};

/** What an engine stores. Everything else about read models is the same on every engine (`read-models.ts`). */
export type DocumentEngine = DocumentStore & {
  find(collection: string, generation: string, query: Query): Promise<Document[]>;
  count(collection: string, generation: string, where: Query['where']): Promise<number>;
  /** Makes the indexes of a new generation of a collection. */
  createIndexes(collection: Collection, generation: string): Promise<void>;
  /** The generations of which anything is stored, in use or not. */
  listGenerations(collection: string): Promise<string[]>;
  dropGeneration(collection: string, generation: string): Promise<void>;
  /** The installation that the storage belongs to; null while it belongs to none. */
  installationId(): Promise<string | null>;
  /**
   * Lets storage without a mark belong to an installation; resolves, when it is durable, to the mark that it has then,
   * which may be another one.
   */
  setInstallationId(installation: string): Promise<string>;
  close(): Promise<void>;
  missing?: () => string | null;
};

/** An event that the read models hold: an event log without it is not the one that they were built from. */
export type LastEvent = { stream: string; revision: number; id: string; position: number };

/** The generation of a read model that serves queries, and the position in the event log up to which it is built. */
export type ServingGeneration = { generation: string; position: number };

export class RebuildSuperseded extends Error {
  constructor(model: string) {
    super(`another rebuild of ${model} was begun later; this one stops`);
    this.name = 'RebuildSuperseded';
  }
}

export type ReadStore = DocumentStore & {
  get(collection: string, id: string): Promise<Document | null>;
  /** @throws RangeError for a field that the collection does not declare in its indexes */
  find(collection: string, query: Query): Promise<Document[]>;
  /** @throws RangeError as `find` */
  count(collection: string, where: Query['where']): Promise<number>;

  /** The generation that serves of each of these read models, read now. */
  servingGenerations(models: readonly string[]): Promise<ServingGeneration[]>;
  /** The position in the event log up to which a read model is built; 0 at first. */
  checkpoint(model: string): Promise<number>;
  /**
   * Moves the checkpoints of models up to a position, once the documents are written; `generations` has the generation
   * that was written of each model. A checkpoint never moves back. False where another generation of one of them
   * serves: its checkpoint stays. `last` is the event at that position, to be kept for `lastEvent`.
   */
  moveCheckpoints(generations: Readonly<Record<string, string>>, position: number, last?: LastEvent): Promise<boolean>;
  /** The last event that `moveCheckpoints` was told of; null where there is none. */
  lastEvent(): Promise<LastEvent | null>;
  clearLastEvent(): Promise<void>;
  /** Resolves to true once the model's checkpoint has reached `position`; to false after `timeoutMs`, and at close. */
  waitForCheckpoint(model: string, position: number, timeoutMs: number): Promise<boolean>;

  /** Begins a shadow copy of a read model and resolves to its generation, which is empty. What serves is untouched. */
  beginRebuild(model: string): Promise<string>;
  /** @throws RebuildSuperseded where another rebuild of the model was begun after this one */
  requireShadow(model: string, generation: string): Promise<void>;
  /**
   * Lets a shadow copy that is built up to `position` serve instead, by one write. False, and nothing changed, where
   * what serves is further, unless `even` is `'behind'`: for an event log that is older than the read models are.
   * Other processes may answer from the replaced generation for a moment, but not once they have waited with `reached`.
   * @throws RebuildSuperseded
   */
  switchOver(model: string, built: ServingGeneration, even?: 'behind'): Promise<boolean>;
  /** Gives up a shadow copy. */
  abandonRebuild(model: string, generation: string): Promise<void>;
  /** Removes generations that neither serve nor are being built, after a second: then nothing reads them any more. */
  dropUnusedGenerations(): Promise<void>;

  installationId: DocumentEngine['installationId'];
  setInstallationId: DocumentEngine['setInstallationId'];
  close(): Promise<void>;
  missing?: () => string | null;
};
