import { Problem } from '#contracts/http/problem.ts';
import { streams } from '#contracts/names.ts';
import { template } from '#libs/domain/template.ts';
import { templateSlots } from '#libs/domain/template-slots.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Cause, load, type Log } from '#application/handling/handle.ts';

/** How many templates an account may have, and those that the read model shows, by their bare ids. */
export type Room = { limit: number; shown: () => Promise<string[]> };

/** For so long a slot counts although its template does not exist: the request that took it may still be running. */
const graceMs = 10_000;

export const limitExceeded = (limit: number): Problem =>
  Problem.of('template_limit_exceeded', `The account holds ${limit} templates, as many as its plan allows. Delete one first.`, { limit });

const takenAt = (history: readonly RecordedEvent[], templateId: string): number => {
  const taken = history.findLast(({ type, data }) => type === 'TemplateSlotTaken' && data.templateId === templateId);
  return Date.parse(taken?.metadata.occurredAt ?? '');
};

/** Whether the template of a slot is deleted, or never came and by an event in its stream never will. */
const isGone = async (log: Log, templateId: string, since: number, cause: Cause): Promise<boolean> => {
  const { aggregate } = await load(log, template, streams.template(templateId));
  if (aggregate.state.status === 'NONE' && log.now().getTime() - since >= graceMs) await aggregate.execute({ type: 'abandon' }, cause);
  return aggregate.state.status === 'DELETED';
};

/**
 * Takes room for a template that is to be created. Where there is none, slots are freed whose template is deleted or was never created: their requests died half-way.
 * @throws Problem template_limit_exceeded
 */
export const takeSlot = async (log: Log, accountId: string, templateId: string, { limit, shown }: Room, cause: Cause): Promise<void> => {
  const { history, aggregate } = await load(log, templateSlots, streams.templateSlots(accountId));
  const others = await shown();
  const take = async (): Promise<boolean> => {
    await aggregate.execute({ type: 'take', templateId, limit, others }, cause);
    return aggregate.state.held.includes(templateId);
  };
  if (await take()) return;
  let freed = false;
  for (const held of aggregate.state.held.filter((one) => !others.includes(one))) {
    if (!(await isGone(log, held, takenAt(history, held), cause))) continue;
    await aggregate.execute({ type: 'free', templateId: held }, cause);
    freed = true;
  }
  if (!freed || !(await take())) throw limitExceeded(limit);
};

/** Gives the room of a template back, where it holds any. */
export const freeSlot = async (log: Log, accountId: string, templateId: string, cause: Cause): Promise<void> => {
  const { aggregate } = await load(log, templateSlots, streams.templateSlots(accountId));
  await aggregate.execute({ type: 'free', templateId }, cause);
};
