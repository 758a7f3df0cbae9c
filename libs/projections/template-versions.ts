import type { TemplateBody } from '#contracts/events/template.ts';
import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Effect, idOf, type Projection } from './projection.ts';

export type TemplateVersionDocument = {
  templateId: string;
  version: number;
  body: TemplateBody;
  changes: string;
  createdAt: string;
};

/** The document id of a version. `templateId` has no prefix. */
export const templateVersionId = (templateId: string, version: number): string => `${templateId}/${version}`;

const version = (
  event: RecordedEvent,
  number: number,
  body: TemplateBody,
  changes: string,
): Effect<TemplateVersionDocument> => {
  const templateId = idOf(event);
  return {
    id: templateVersionId(templateId, number),
    evolve: () => ({ templateId, version: number, body, changes, createdAt: event.metadata.occurredAt }),
  };
};

/** All versions of all templates, also of deleted ones. The plan decides which of them can be read. */
export const templateVersions: Projection<TemplateVersionDocument> = {
  model: readModels.templateVersions,
  collection: { name: readModels.templateVersions, indexes: [] },
  handlers: {
    TemplateCreated: (event) => version(event, 1, event.data.body, 'created'),
    TemplateVersioned: (event) => {
      const data = event.data;
      return version(event, data.version, data.body, data.changes);
    },
  },
};
