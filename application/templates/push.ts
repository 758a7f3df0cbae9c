import { planLimits } from '#application/accounts/queries.ts';
import type { Cause, EventLog } from '#application/command-handling/aggregate.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import { newId } from '#libs/ids/ulids.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createTemplate, updateTemplate } from './commands.ts';
import { changedFields, type FullTemplate, readTemplate, storeTemplate } from './content.ts';
import { findTemplateByName } from './queries.ts';
import { requireTemplateContent } from './require-content.ts';
import { templateCapacity } from './slots.ts';

export type PushTemplateDependencies = {
  eventLog: EventLog;
  reads: ReadStore;
  blobs: BlobStore;
  preparation: DocumentPreparation;
};

/** A template to store. Without `sample_data` the stored sample data stays. */
export type TemplateToPush = Omit<FullTemplate, 'sample_data'> & Partial<Pick<FullTemplate, 'sample_data'>>;

/** `changed` are the fields that differ from the version before. */
export type PushResult = {
  id: string;
  version: number;
  result: 'created' | 'updated' | 'unchanged';
  changed: (keyof FullTemplate)[];
};

const create = async (
  { eventLog, reads, blobs }: PushTemplateDependencies,
  account: AccountDocument,
  full: FullTemplate,
  cause: Cause,
): Promise<PushResult> => {
  const capacity = await templateCapacity(reads, account.id, planLimits(account).maxTemplates);
  const id = newId();
  const store = () => storeTemplate(blobs, full);
  const { version } = await createTemplate(eventLog, account.id, id, { name: full.name, store, capacity }, cause);
  return { id, version, result: 'created', changed: [] };
};

/**
 * Creates a template, or a new version of the account's template with its name, unless nothing differs. `changes`
 * describes the change; by default it is the names of the changed fields.
 * @throws ApiError template_too_large, invalid_template_syntax, template_limit_exceeded
 */
export const pushTemplate = async (
  dependencies: PushTemplateDependencies,
  account: AccountDocument,
  template: TemplateToPush,
  cause: Cause,
  changes?: string,
): Promise<PushResult> => {
  const { eventLog, reads, blobs, preparation } = dependencies;
  await requireTemplateContent(preparation, template, planLimits(account), account.id);
  const current = await findTemplateByName(reads, account.id, template.name);
  if (!current) return create(dependencies, account, { ...template, sample_data: template.sample_data ?? {} }, cause);
  const { id, version } = current;
  const stored = await readTemplate(blobs, current);
  const full: FullTemplate = { ...template, sample_data: template.sample_data ?? stored.sample_data };
  const changed = changedFields(stored, full);
  if (changed.length === 0) return { id, version, result: 'unchanged', changed };
  const next = async () => ({
    name: full.name,
    store: () => storeTemplate(blobs, full),
    changes: changes ?? changed.join(', '),
    restoredFrom: null,
  });
  const updated = await updateTemplate(eventLog, account.id, id, { expectedVersion: null, next }, cause);
  return { id, version: updated.version, result: 'updated', changed };
};
