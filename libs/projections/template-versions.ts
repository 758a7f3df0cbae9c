import type { TemplateBody } from '#contracts/events/template.ts';
import { idOfStream, readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Effect, Projection } from './projection.ts';

export type TemplateVersionDocument = {
  templateId: string;
  version: number;
  body: TemplateBody;
  changes: string;
  createdAt: string;
};

/** The id of a version's document, from the template's bare id. */
export const templateVersionId = (templateId: string, version: number): string => `${templateId}/${version}`;

const version = (
  event: RecordedEvent,
  number: number,
  body: TemplateBody,
  changes: string,
): Effect<TemplateVersionDocument> => {
  const templateId = idOfStream(event.stream);
  return {
    id: templateVersionId(templateId, number),
    evolve: () => ({ templateId, version: number, body, changes, createdAt: event.metadata.occurredAt }),
  };
};

/** Every version that ever was; which of them may still be read is a matter of the plan. */
export const templateVersions: Projection<TemplateVersionDocument> = {
  model: readModels.templateVersions,
  collection: { name: readModels.templateVersions, indexes: [['templateId', 'version']] },
  handlers: {
    TemplateCreated: (event) => version(event, 1, event.data.body, 'created'),
    TemplateVersioned: (event) => {
      const data = event.data;
      return version(event, data.version, data.body, data.changes);
    },
  },
};
