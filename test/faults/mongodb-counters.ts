import type { Collection, Document, ReadStore } from '#libs/read-store/port.ts';

export const model = 'counters';
export const collections: readonly Collection[] = [{ name: 'counters', indexes: [['n']] }];
const ids = Array.from({ length: 40 }, (_, number) => `counter ${number}`);

const grown = (document: Document | null): Document => ({ n: ((document?.n as number | undefined) ?? 0) + 1, filling: 'x'.repeat(500) });

/** Takes one step: every counter is read, and grows by one. What it stands at is then the model's position, unless a step was lost, doubled or torn. */
export const count = async (reads: ReadStore): Promise<boolean> => {
  const from = await reads.checkpoint(model);
  const changes = await Promise.all(ids.map(async (id) => ({ collection: 'counters', id, document: grown(await reads.get('counters', id)) })));
  return reads.apply(model, from, from + 1, changes);
};

/** How the counters stand: each different value once. */
export const standing = async (reads: ReadStore): Promise<{ position: number; values: unknown[]; found: number }> => {
  const documents = await reads.find('counters', { where: {}, limit: 1_000 });
  return { position: await reads.checkpoint(model), values: [...new Set(documents.map(({ n }) => n))], found: documents.length };
};
