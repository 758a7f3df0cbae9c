import { defaultKeyPermissions } from '#contracts/events/account.ts';
import { readModels, templateIdOf } from '#contracts/names.ts';
import { issueKey } from '#application/api-keys/commands.ts';
import { openAccount } from './commands.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { newCause, type EventLog } from '#application/command-handling/aggregate.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { storeTemplate } from '#application/templates/content.ts';
import { createTemplate } from '#application/templates/commands.ts';
import { type Example, readExamples } from '#libs/templating/examples.ts';
import { newId } from '#libs/ids/ulids.ts';

const actor = { kind: 'service', name: 'first start' } as const;

/** The result of the first start: the keys, which are shown only once, and the example invoice with sample data. */
export type DefaultAccount = {
  liveKey: string;
  testKey: string;
  exampleTemplate: { templateId: string; data: unknown };
};

const createExample = async (
  eventLog: EventLog,
  blobs: BlobStore,
  accountId: string,
  { template, sample }: Example,
): Promise<string> => {
  const id = newId();
  const full = { ...template, description: template.description ?? null, sample_data: sample };
  const store = () => storeTemplate(blobs, full);
  await createTemplate(
    eventLog,
    accountId,
    id,
    { name: template.name, store, capacity: null },
    newCause(actor, accountId),
  );
  return templateIdOf(id);
};

const createExamples = async (
  eventLog: EventLog,
  blobs: BlobStore,
  accountId: string,
): Promise<DefaultAccount['exampleTemplate']> => {
  const created = new Map<string, DefaultAccount['exampleTemplate']>();
  for (const example of await readExamples())
    created.set(example.folder, {
      templateId: await createExample(eventLog, blobs, accountId, example),
      data: example.sample,
    });
  return created.get('invoice')!;
};

/**
 * Opens the account `default` with a live key, a test key and the example templates; null if there is an account
 * already.
 */
export const openDefaultAccount = async (
  eventLog: EventLog,
  reads: ReadStore,
  blobs: BlobStore,
): Promise<DefaultAccount | null> => {
  if ((await reads.count(readModels.accounts, {})) > 0) return null;
  const accountId = await openAccount(eventLog, actor, { name: 'default', plan: 'enterprise', overrides: {} });
  const invoice = await createExamples(eventLog, blobs, accountId);
  const issue = async (keyType: 'live' | 'test'): Promise<string> => {
    const request = {
      accountId,
      name: `${keyType} key of the first start`,
      keyType,
      permissions: defaultKeyPermissions,
      expiresAt: null,
    };
    return (await issueKey(eventLog, actor, request)).secret;
  };
  return { liveKey: await issue('live'), testKey: await issue('test'), exampleTemplate: invoice };
};
