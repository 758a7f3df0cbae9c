import { permissions } from '#contracts/events/account.ts';
import { readModels, templateIdOf } from '#contracts/names.ts';
import { issueKey } from '#application/api-keys/commands.ts';
import { openAccount } from './commands.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { causeOf, type Log } from '#application/handling/handle.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { storeTemplate } from '#application/templates/content.ts';
import { createTemplate } from '#application/templates/commands.ts';
import { type Example, readExamples } from '#libs/templating/examples.ts';
import { newId } from '#libs/ids/new-id.ts';

const actor = { kind: 'service', name: 'first start' } as const;

/** What the first start has made: keys that are shown this once, and the example invoice with data that fills it. */
export type FirstSteps = { live: string; test: string; invoice: { templateId: string; data: unknown } };

const createExample = async (log: Log, blobs: BlobStore, accountId: string, { template }: Example): Promise<string> => {
  const id = newId();
  const store = () => storeTemplate(blobs, { ...template, description: template.description ?? null });
  await createTemplate(log, accountId, id, { name: template.name, store, room: null }, causeOf(actor, accountId));
  return templateIdOf(id);
};

const createExamples = async (log: Log, blobs: BlobStore, accountId: string): Promise<FirstSteps['invoice']> => {
  const made = new Map<string, FirstSteps['invoice']>();
  for (const example of await readExamples()) made.set(example.folder, { templateId: await createExample(log, blobs, accountId, example), data: example.sample });
  return made.get('invoice')!;
};

/** On a log without accounts, opens the account `default` with a live and a test key and the example templates; null where there is an account already. */
export const openDefaultAccount = async (log: Log, reads: ReadStore, blobs: BlobStore): Promise<FirstSteps | null> => {
  if ((await reads.count(readModels.accounts, {})) > 0) return null;
  const accountId = await openAccount(log, actor, { name: 'default', plan: 'enterprise', overrides: {} });
  const invoice = await createExamples(log, blobs, accountId);
  const issue = async (keyType: 'live' | 'test'): Promise<string> => {
    const wish = { accountId, name: `${keyType} key of the first start`, keyType, permissions, expiresAt: null };
    return (await issueKey(log, actor, wish)).secret;
  };
  return { live: await issue('live'), test: await issue('test'), invoice };
};
