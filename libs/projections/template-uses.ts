import { readModels } from '#contracts/names.ts';
import type { Projection } from './projection.ts';

/** How often renders have used a template, trials left out. */
export type TemplateUsesDocument = { count: number; lastUsedAt: string };

export const templateUses: Projection<TemplateUsesDocument> = {
  model: readModels.templateUses,
  collection: { name: readModels.templateUses, indexes: [] },
  on: {
    RenderRequested: (event) => {
      const { source, trial } = event.data;
      if (source.mode !== 'RENDER' || trial) return null;
      return { id: source.templateId, evolve: (document) => ({ count: (document?.count ?? 0) + 1, lastUsedAt: event.metadata.occurredAt }) };
    },
  },
};
