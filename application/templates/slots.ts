import { ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { template } from '#libs/domain/template.ts';
import { templateSlots } from '#libs/domain/template-slots.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Cause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';

/** How many templates an account may have, and those that the read model shows, by their bare ids. */
export type TemplateCapacity = { limit: number; listExistingIds: () => Promise<string[]> };

/** For so long a slot counts although its template does not exist: the request that took it may still be running. */
const slotTimeoutMs = 10_000;

export const templateLimitExceeded = (limit: number): ApiError =>
  ApiError.of(
    'template_limit_exceeded',
    `The account holds ${limit} templates, as many as its plan allows. Delete one first.`,
    { limit },
  );

const takenAt = (history: readonly RecordedEvent[], templateId: string): number => {
  const taken = history.findLast(({ type, data }) => type === 'TemplateSlotTaken' && data.templateId === templateId);
  return Date.parse(taken?.metadata.occurredAt ?? '');
};

/** Whether the template of a slot is deleted, or never came and by an event in its stream never will. */
const isTemplateGone = async (eventLog: EventLog, templateId: string, since: number, cause: Cause): Promise<boolean> => {
  const { aggregate } = await loadAggregate(eventLog, template, streams.template(templateId));
  if (aggregate.state.status === 'NONE' && eventLog.now().getTime() - since >= slotTimeoutMs)
    await aggregate.execute({ type: 'cancelCreation' }, cause);
  return aggregate.state.status === 'DELETED';
};

/**
 * Takes room for a template that is to be created. Where there is none, slots are freed whose template is deleted or was never created: their requests died half-way.
 * @throws Problem template_limit_exceeded
 */
export const takeSlot = async (
  eventLog: EventLog,
  accountId: string,
  templateId: string,
  { limit, listExistingIds }: TemplateCapacity,
  cause: Cause,
): Promise<void> => {
  const { history, aggregate } = await loadAggregate(eventLog, templateSlots, streams.templateSlots(accountId));
  const others = await listExistingIds();
  const take = async (): Promise<boolean> => {
    await aggregate.execute({ type: 'take', templateId, limit, existingTemplateIds: others }, cause);
    return aggregate.state.templateIds.includes(templateId);
  };
  if (await take()) return;
  let freed = false;
  for (const held of aggregate.state.templateIds.filter((one) => !others.includes(one))) {
    if (!(await isTemplateGone(eventLog, held, takenAt(history, held), cause))) continue;
    await aggregate.execute({ type: 'free', templateId: held }, cause);
    freed = true;
  }
  if (!freed || !(await take())) throw templateLimitExceeded(limit);
};

/** Gives the room of a template back, where it holds any. */
export const freeSlot = async (eventLog: EventLog, accountId: string, templateId: string, cause: Cause): Promise<void> => {
  const { aggregate } = await loadAggregate(eventLog, templateSlots, streams.templateSlots(accountId));
  await aggregate.execute({ type: 'free', templateId }, cause);
};
