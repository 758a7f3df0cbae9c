import { ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { template } from '#libs/domain/template.ts';
import { templateSlots } from '#libs/domain/template-slots.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Cause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';

/** The template limit of an account, and the bare ids of its templates in the read model. */
export type TemplateCapacity = { limit: number; listExistingIds: () => Promise<string[]> };

/** A slot without a template is valid for this time, since its request may still be running. */
const slotTimeoutMs = 10_000;

export const templateLimitExceeded = (limit: number): ApiError =>
  ApiError.of(
    'template_limit_exceeded',
    `The account has ${limit} templates, the limit of its plan. Delete one first.`,
    { limit },
  );

const takenAt = (history: readonly RecordedEvent[], templateId: string): number => {
  const taken = history.findLast(({ type, data }) => type === 'TemplateSlotTaken' && data.templateId === templateId);
  return Date.parse(taken?.metadata.occurredAt ?? '');
};

/** Whether the template of a slot was deleted, or its creation was cancelled after the timeout. */
const isTemplateGone = async (
  eventLog: EventLog,
  templateId: string,
  since: number,
  cause: Cause,
): Promise<boolean> => {
  const { aggregate } = await loadAggregate(eventLog, template, streams.template(templateId));
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
  const { history, aggregate } = await loadAggregate(eventLog, templateSlots, streams.templateSlots(accountId));
  const existingTemplateIds = await listExistingIds();
  const take = async (): Promise<boolean> => {
    await aggregate.execute({ type: 'take', templateId, limit, existingTemplateIds }, cause);
    return aggregate.state.templateIds.includes(templateId);
  };
  if (await take()) return;
  let freed = false;
  for (const id of aggregate.state.templateIds.filter((id) => !existingTemplateIds.includes(id))) {
    if (!(await isTemplateGone(eventLog, id, takenAt(history, id), cause))) continue;
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
  const { aggregate } = await loadAggregate(eventLog, templateSlots, streams.templateSlots(accountId));
  await aggregate.execute({ type: 'free', templateId }, cause);
};
