import { z } from 'zod';
import { templateCategories, templateFieldLimits } from '../http/templates.ts';
import { identifier, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';
import { blobRef } from './blob-ref.ts';

const templateNameText = z.string().max(templateFieldLimits.nameLength);

/** One version of a template. `settings` is the blob with the JSON of its variables and default options. */
const templateBody = z.object({
  name: templateNameText,
  description: z.string().max(templateFieldLimits.descriptionLength).nullable(),
  category: z.enum(templateCategories),
  content: blobRef,
  settings: blobRef,
  /** The JSON of the sample data, apart from what renders read. Absent if there is none. */
  sampleData: blobRef.optional(),
});
export type TemplateBody = z.output<typeof templateBody>;

export const templateEvents = {
  TemplateCreated: z.object({ accountId: identifier(), body: templateBody }),
  TemplateVersioned: z.object({
    version: z.number().int(),
    body: templateBody,
    /** The caller's description of the change, or the names of the changed fields. */
    changes: text(6 * templateFieldLimits.changesLength + 2),
    restoredFrom: z.number().int().nullable(),
  }),
  TemplateDeleted: z.object({ version: z.number().int() }),
  /**
   * The request that created the template did not finish. Its slot was freed, and the template can no longer be
   * created.
   */
  TemplateCreationCancelled: z.object({}),
  /** The template will not use a name that it had reserved. If it did not exist yet, it can no longer be created. */
  TemplateNameReservationCancelled: z.object({ name: templateNameText }),
} as const;

export type TemplateEvent = EventsIn<typeof templateEvents>;

export const templateNameEvents = {
  TemplateNameReserved: z.object({ accountId: identifier(), name: templateNameText, templateId: identifier() }),
  TemplateNameReleased: z.object({ templateId: identifier() }),
} as const;

export type TemplateNameEvent = EventsIn<typeof templateNameEvents>;

/** The template slots of an account. The order of events in this stream decides which template gets the last slot. */
export const templateSlotEvents = {
  TemplateSlotTaken: z.object({ templateId: identifier() }),
  TemplateSlotFreed: z.object({ templateId: identifier() }),
} as const;

export type TemplateSlotEvent = EventsIn<typeof templateSlotEvents>;
