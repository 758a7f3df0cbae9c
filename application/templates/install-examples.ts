import { newCause } from '#application/command-handling/aggregate.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { Example } from '#libs/templating/examples.ts';
import { readVersionEvents } from './commands.ts';
import { findTemplateByName } from './queries.ts';
import { pushTemplate, type PushResult, type PushTemplateDependencies } from './push.ts';

/** `kept`: the account has changed the template, so it was left as it is. */
export type InstallResult = Omit<PushResult, 'result' | 'changed'> & {
  name: string;
  result: PushResult['result'] | 'kept';
};

/** Installed examples are written by the service, on behalf of a person. Every other version is the account's own. */
const installer = (person: string): Actor => ({ kind: 'service', name: `examples, installed by ${person}` });

const isOwnVersion = async (
  { eventLog }: PushTemplateDependencies,
  { id, version }: TemplateDocument,
): Promise<boolean> => {
  const current = (await readVersionEvents(eventLog, id, version, version)).get(version);
  return current?.metadata.actor.kind !== 'service';
};

/**
 * Gives an account the templates delivered with the product: a template that does not exist is created, one that this
 * function installed earlier gets a new version if the delivered one has changed, and one that the account has changed
 * itself is kept, unless `replace` is true.
 * @throws ApiError template_limit_exceeded
 */
export const installExample = async (
  dependencies: PushTemplateDependencies,
  account: AccountDocument,
  { template, sample }: Pick<Example, 'template' | 'sample'>,
  { person, replace }: { person: string; replace: boolean },
): Promise<InstallResult> => {
  const full = { ...template, description: template.description ?? null, sample_data: sample };
  const { name } = full;
  const existing = await findTemplateByName(dependencies.reads, account.id, name);
  const cause = newCause(installer(person), account.id);
  if (existing && !replace && (await isOwnVersion(dependencies, existing)))
    return { id: existing.id, version: existing.version, name, result: 'kept' };
  const { id, version, result } = await pushTemplate(dependencies, account, full, cause, 'the delivered example');
  return { id, version, name, result };
};
