import { ApiError } from '#contracts/http/api-error.ts';
import { readModels, streams } from '#contracts/names.ts';
import { template } from '#libs/domain/template.ts';
import { templateSlots } from '#libs/domain/template-slots.ts';
import { readStream } from '#application/command-handling/history.ts';
import { type Cause, loadRememberedAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { listTemplateIds } from './queries.ts';

/** The template limit of an account, and the bare ids of its templates in the read model. */
export type TemplateCapacity = { limit: number; listExistingIds: () => Promise<string[]> };

/** A slot without a template is valid for this time, since its request may still be running. */
const slotTimeoutMs = 10_000;

const templateLimitExceeded = (limit: number): ApiError =>
  ApiError.of(
    'template_limit_exceeded',
    `The account has ${limit} templates, the limit of its plan. Delete one first.`,
    { limit },
  );

/** The capacity of an account, null without a limit. @throws ApiError template_limit_exceeded if the read model has `limit` templates */
export const templateCapacity = async (
  reads: ReadStore,
  accountId: string,
  limit: number | null,
): Promise<TemplateCapacity | null> => {
  if (limit === null) return null;
  if ((await reads.count(readModels.templates, { accountId })) >= limit) throw templateLimitExceeded(limit);
  return { limit, listExistingIds: () => listTemplateIds(reads, accountId, limit) };
};

/** Returns when each slot was taken last, by template id. Reads the whole history, which a state has no times of. */
const readTakenAt = async ({ store }: EventLog, stream: string): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (await readStream(store, stream)).flatMap(({ type, data, metadata }) =>
      type === 'TemplateSlotTaken' ? [[data.templateId, Date.parse(metadata.occurredAt)] as const] : [],
    ),
  );

/** Whether the template of a slot was deleted, or its creation was cancelled after the timeout. */
const isTemplateGone = async (
  eventLog: EventLog,
  templateId: string,
  since: number,
  cause: Cause,
): Promise<boolean> => {
  const { aggregate } = await loadRememberedAggregate(eventLog, template, streams.template(templateId));
  if (aggregate.state.status === 'NONE' && eventLog.now().getTime() - since >= slotTimeoutMs)
    await aggregate.execute({ type: 'cancelCreation' }, cause);
  return aggregate.state.status === 'DELETED';
};

/**
 * Takes a slot for a new template. If none is left, first frees the slots of templates that were deleted or never
 * created.
 * @throws ApiError template_limit_exceeded
 */
export const takeSlot = async (
  eventLog: EventLog,
  accountId: string,
  templateId: string,
  { limit, listExistingIds }: TemplateCapacity,
  cause: Cause,
): Promise<void> => {
  const stream = streams.templateSlots(accountId);
  const { aggregate } = await loadRememberedAggregate(eventLog, templateSlots, stream);
  const existingTemplateIds = await listExistingIds();
  const take = async (): Promise<boolean> => {
    await aggregate.execute({ type: 'take', templateId, limit, existingTemplateIds }, cause);
    return aggregate.state.templateIds.includes(templateId);
  };
  if (await take()) return;
  const unshown = aggregate.state.templateIds.filter((id) => !existingTemplateIds.includes(id));
  const takenAt = unshown.length === 0 ? null : await readTakenAt(eventLog, stream);
  let freed = false;
  for (const id of unshown) {
    if (!(await isTemplateGone(eventLog, id, takenAt!.get(id)!, cause))) continue;
    await aggregate.execute({ type: 'free', templateId: id }, cause);
    freed = true;
  }
  if (!freed || !(await take())) throw templateLimitExceeded(limit);
};

/** Frees the slot of a template, if it holds one. */
export const freeSlot = async (
  eventLog: EventLog,
  accountId: string,
  templateId: string,
  cause: Cause,
): Promise<void> => {
  const { aggregate } = await loadRememberedAggregate(eventLog, templateSlots, streams.templateSlots(accountId));
  await aggregate.execute({ type: 'free', templateId }, cause);
};
