import { z } from 'zod';
import { templateCategories, templateLimits } from '../http/templates.ts';
import { identifier, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';
import { blobRef } from './render.ts';

const templateNameText = z.string().max(templateLimits.nameLength);

/** A template as one version has it. `settings` is the blob of the JSON of its variables and default options. */
export const templateBody = z.object({
  name: templateNameText,
  description: z.string().max(templateLimits.descriptionLength).nullable(),
  category: z.enum(templateCategories),
  content: blobRef,
  settings: blobRef,
});
export type TemplateBody = z.output<typeof templateBody>;

export const templateEvents = {
  TemplateCreated: z.object({ accountId: identifier(), body: templateBody }),
  TemplateVersioned: z.object({
    version: z.number().int(),
    body: templateBody,
    /** What the version changes, as the caller said, or the names of the changed fields. */
    changes: text(6 * templateLimits.changesLength + 2),
    restoredFrom: z.number().int().nullable(),
  }),
  TemplateDeleted: z.object({ version: z.number().int() }),
  /** A template that was to be created never was, and never will be: the request died, and its place was given to another. */
  TemplateCreationCancelled: z.object({}),
  /** The template gave up a name that it had reserved and never taken; one that did not exist yet never will. */
  TemplateNameReservationCancelled: z.object({ name: templateNameText }),
} as const;

export type TemplateEvent = EventsIn<typeof templateEvents>;

export const templateNameEvents = {
  TemplateNameReserved: z.object({ accountId: identifier(), name: templateNameText, templateId: identifier() }),
  TemplateNameReleased: z.object({ templateId: identifier() }),
} as const;

export type TemplateNameEvent = EventsIn<typeof templateNameEvents>;

/** Room for a template in an account, for which the order of this one stream decides. */
export const templateSlotEvents = {
  TemplateSlotTaken: z.object({ templateId: identifier() }),
  TemplateSlotFreed: z.object({ templateId: identifier() }),
} as const;

export type TemplateSlotEvent = EventsIn<typeof templateSlotEvents>;
