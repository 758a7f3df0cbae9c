import type { TemplateBody } from '#contracts/events/template.ts';
import { readModels } from '#contracts/names.ts';
import { idOf, type Projection, removeDocument } from './projection.ts';

/** The current version of a template. */
export type TemplateDocument = TemplateBody & {
  id: string;
  accountId: string;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export const templates: Projection<TemplateDocument> = {
  model: readModels.templates,
  collection: {
    name: readModels.templates,
    indexes: [
      ['accountId', 'createdAt'],
      ['accountId', 'name'],
      ['accountId', 'category', 'createdAt'],
    ],
  },
  handlers: {
    TemplateCreated: (event) => {
      const { accountId, body } = event.data;
      const at = event.metadata.occurredAt;
      return {
        id: idOf(event),
        evolve: () => ({ id: idOf(event), accountId, ...body, version: 1, createdAt: at, updatedAt: at }),
      };
    },
    TemplateVersioned: (event) => {
      const { body, version } = event.data;
      return {
        id: idOf(event),
        evolve: (document) => {
          if (!document) return null;
          const { sampleData: _, ...rest } = document;
          return { ...rest, ...body, version, updatedAt: event.metadata.occurredAt };
        },
      };
    },
    TemplateDeleted: removeDocument,
  },
};
