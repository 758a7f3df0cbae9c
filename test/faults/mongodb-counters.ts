import type { Collection, Document, ReadStore } from '#libs/read-store/port.ts';

export const model = 'counters';
export const collections: readonly Collection[] = [{ name: 'counters', indexes: [['n']] }];
const ids = Array.from({ length: 40 }, (_, number) => `counter ${number}`);

const grown = (document: Document | null): Document => ({ n: ((document?.n as number | undefined) ?? 0) + 1, filling: 'x'.repeat(500) });

/** Takes one step: every counter grows by one. What it stands at is then the model's position, unless a step was lost, doubled or torn. */
export type Step = (reads: ReadStore) => Promise<boolean>;

export const count: Step = async (reads) => {
  const from = await reads.checkpoint(model);
  const changes = await Promise.all(ids.map(async (id) => ({ collection: 'counters', id, document: grown(await reads.get('counters', id)) })));
  return reads.apply(model, from, from + 1, changes);
};

/** The same as a projector does it: each position is an event that all counters are to hear of once. */
export const fold: Step = async (reads) => {
  const writer = reads.writer();
  const from = await writer.checkpoint(model);
  const held = await Promise.all(ids.map(async (id) => ({ id, ...(await writer.held('counters', id)) })));
  const changes = held.filter(({ at }) => at <= from).map(({ id, document }) => ({ collection: 'counters', id, document: grown(document) }));
  return writer.advance(from, from + 1, [{ model, changes }]);
};

export const steps = { noted: count, folded: fold };

/** How the counters stand: each different value once. */
export const standing = async (reads: ReadStore): Promise<{ position: number; values: unknown[]; found: number }> => {
  const documents = await reads.find('counters', { where: {}, limit: 1_000 });
  return { position: await reads.checkpoint(model), values: [...new Set(documents.map(({ n }) => n))], found: documents.length };
};
