import { LRUCache } from 'lru-cache';
import type { Held, ModelWriter } from '#libs/read-store/port.ts';

const mostDocuments = 5_000;

/**
 * A writer that need not read what it wrote itself. That holds as long as each of its steps is taken, since none is that does not begin where the one before has ended.
 * After any other, or a look at a checkpoint, all is forgotten.
 */
export const rememberingWrites = (writer: ModelWriter): ModelWriter => {
  const written = new LRUCache<string, Held>({ max: mostDocuments });
  const placeOf = (collection: string, id: string): string => `${collection}\n${id}`;

  return {
    held: async (collection, id) => written.get(placeOf(collection, id)) ?? writer.held(collection, id),
    checkpoint: (model) => {
      written.clear();
      return writer.checkpoint(model);
    },
    advance: async (from, to, updates) => {
      let taken = false;
      try {
        taken = await writer.advance(from, to, updates);
      } finally {
        if (!taken) written.clear();
      }
      for (const { collection, id, document } of updates.flatMap(({ changes }) => changes)) if (taken) written.set(placeOf(collection, id), { document, at: to });
      return taken;
    },
  };
};
