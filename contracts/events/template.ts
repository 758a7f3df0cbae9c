import { z } from 'zod';
import { templateCategories } from '../http/templates.ts';
import { blobRef } from './render.ts';

/** A template as one version has it. `settings` is the blob of the JSON of its variables and default options. */
export const templateBody = z.object({
  name: z.string(),
  description: z.string().nullable(),
  category: z.enum(templateCategories),
  content: blobRef,
  settings: blobRef,
});
export type TemplateBody = z.output<typeof templateBody>;

export const templateEvents = {
  TemplateCreated: z.object({ accountId: z.string(), body: templateBody }),
  TemplateVersioned: z.object({
    version: z.number().int(),
    body: templateBody,
    /** What the version changes, as the caller said, or the names of the changed fields. */
    changes: z.string(),
    restoredFrom: z.number().int().nullable(),
  }),
  TemplateDeleted: z.object({ version: z.number().int() }),
  /** The template gave up a name that it had reserved and never taken; one that did not exist yet never will. */
  TemplateNameForgone: z.object({ name: z.string() }),
} as const;

export type TemplateEvent = { [T in keyof typeof templateEvents]: { type: T; data: z.output<(typeof templateEvents)[T]> } }[keyof typeof templateEvents];

export const templateNameEvents = {
  TemplateNameReserved: z.object({ accountId: z.string(), name: z.string(), templateId: z.string() }),
  TemplateNameReleased: z.object({ templateId: z.string() }),
} as const;

export type TemplateNameEvent = { [T in keyof typeof templateNameEvents]: { type: T; data: z.output<(typeof templateNameEvents)[T]> } }[keyof typeof templateNameEvents];
