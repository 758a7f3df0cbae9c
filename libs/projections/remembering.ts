import { LRUCache } from 'lru-cache';
import type { Document, ReadStore } from '#libs/read-store/port.ts';

const mostDocuments = 5_000;

/**
 * Read models for the one process that writes them: what it wrote itself it need not read. That holds as long as each of its steps together is taken, since none is
 * that does not begin where the one before has ended, nor one over a model that was rebuilt meanwhile. After any other, or when a model is brought forward by itself, all is forgotten.
 */
export const rememberingWrites = (reads: ReadStore): ReadStore => {
  const written = new LRUCache<string, { document: Document | null }>({ max: mostDocuments });
  const placeOf = (collection: string, id: string): string => `${collection}\n${id}`;

  return {
    ...reads,
    get: async (collection, id) => {
      const known = written.get(placeOf(collection, id));
      return known ? known.document : reads.get(collection, id);
    },
    apply: (...given) => {
      written.clear();
      return reads.apply(...given);
    },
    applyTogether: async (from, to, updates) => {
      let taken = false;
      try {
        taken = await reads.applyTogether(from, to, updates);
      } finally {
        if (!taken) written.clear();
      }
      for (const { collection, id, document } of updates.flatMap(({ changes }) => changes)) if (taken) written.set(placeOf(collection, id), { document });
      return taken;
    },
    checkpoint: (model) => {
      written.clear();
      return reads.checkpoint(model);
    },
  };
};
