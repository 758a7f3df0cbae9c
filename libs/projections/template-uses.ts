import { readModels } from '#contracts/names.ts';
import type { Projection } from './projection.ts';

/** How often renders have used a template. Template tests do not count. */
export type TemplateUsesDocument = { templateId: string; count: number; lastUsedAt: string };

export const templateUses: Projection<TemplateUsesDocument> = {
  model: readModels.templateUsage,
  collection: { name: readModels.templateUsage, indexes: [] },
  handlers: {
    RenderRequested: (event) => {
      const { source, templateTest } = event.data;
      if (source.mode !== 'RENDER' || templateTest) return null;
      const { templateId } = source;
      return {
        id: templateId,
        evolve: (document) => ({
          templateId,
          count: (document?.count ?? 0) + 1,
          lastUsedAt: event.metadata.occurredAt,
        }),
      };
    },
  },
};
