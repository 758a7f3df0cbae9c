export type Document = Record<string, unknown>;
export type Scalar = string | number | boolean | null;

/**
 * A collection with the fields (dotted paths) that its queries filter and sort by, and no others. One that is added later holds for
 * documents that are written from then on: the model wants to be rebuilt.
 * Those that are `together` may lie in one place, so that one write changes documents of all of them: for what changes with nearly every step.
 */
export type Collection = { name: string; indexes: readonly (readonly string[])[]; together?: boolean };

export type Change = { collection: string; id: string; document: Document | null };

export type Query = {
  where: Record<string, Scalar>;
  /** Only documents whose text in the field `by` is at least `from` and below `before`, by code point. */
  range?: { by: string; from?: string | undefined; before?: string | undefined };
  sort?: { by: string; descending: boolean };
  limit: number;
  skip?: number;
};

/** A document as it is to be folded on: null where it is not there. Events up to the position `at` are in it already, which may be ahead of its model's checkpoint; 0 where it never is. */
export type Held = { document: Document | null; at: number };

/** What one step makes of a model. */
export type Update = { model: string; changes: readonly Change[] };

/**
 * Brings models forward whose documents are folds of the log. From one look at a checkpoint to the next it reads and writes the same collections, so that nothing
 * that was read before a rebuild is written after it. For one caller, who takes one step after the other.
 */
export type ModelWriter = {
  held(collection: string, id: string): Promise<Held>;
  /** As of the store; what was known of documents before has to be read again. */
  checkpoint(model: string): Promise<number>;
  /**
   * Writes documents, each as it is after the events up to `to`, and moves the checkpoints of all their models from `from` to `to`. False where one of them is elsewhere, or was
   * rebuilt: look at the checkpoints again. An engine that cannot write it all as one writes the documents first: those of a step that was refused or interrupted
   * stand ahead of their model, as `held` tells.
   */
  advance(from: number, to: number, updates: readonly Update[]): Promise<boolean>;
};

/** A model that is being built anew beside the one that serves. */
export type Rebuild = {
  /** Reads and writes the copy where the model and its collections are concerned, the rest as it serves. */
  copy: ModelWriter;
  /**
   * Lets the copy serve in the model's place, as one, and forgets what served. False, and nothing changed, while the copy lies behind it.
   * For a moment other processes may still answer by what served, which is as it was; not once they have waited for a position with `reached`.
   */
  switchOver(): Promise<boolean>;
  /** Forgets the copy. */
  abandon(): Promise<void>;
};

/** What a rebuild meets when another one of the same model was begun after it. */
export class RebuildSuperseded extends Error {
  constructor(model: string) {
    super(`another rebuild of ${model} was begun; this one gives way`);
    this.name = 'RebuildSuperseded';
  }
}

export type ReadStore = {
  get(collection: string, id: string): Promise<Document | null>;
  find(collection: string, query: Query): Promise<Document[]>;
  count(collection: string, where: Query['where']): Promise<number>;
  /** The position in the log up to which a model is built; 0 at first. */
  checkpoint(model: string): Promise<number>;
  /**
   * Writes documents (null removes) and moves the model's checkpoint from `from` to `to`, as one.
   * False, and nothing written, when the checkpoint is not at `from`: somebody else projects.
   */
  apply(model: string, from: number, to: number, changes: readonly Change[]): Promise<boolean>;
  writer(): ModelWriter;
  /** Resolves to true once the model's checkpoint has reached `position`; to false after `timeoutMs`. */
  reached(model: string, position: number, timeoutMs: number): Promise<boolean>;
  /** Empties collections and sets the model's checkpoint to 0. */
  reset(model: string, collections: readonly string[]): Promise<void>;
  /** Begins to build a model and its collections anew, at position 0; what is there serves on and is kept until the copy is switched over. */
  rebuild(model: string, collections: readonly string[]): Promise<Rebuild>;
  /** The installation that the storage belongs to; null while it belongs to none. */
  mark(): Promise<string | null>;
  /** Lets storage without a mark belong to an installation; answers with the mark that it has then, which may be another one. Durable when it resolves. */
  setMark(installation: string): Promise<string>;
  close(): Promise<void>;
};
