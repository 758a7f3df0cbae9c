import type { TemplateSlotEvent } from '#contracts/events/template.ts';
import type { Decider } from './decider.ts';

/** The templates that take up room in an account, by their bare ids. */
export type TemplateSlotsState = { held: readonly string[] };

export type TemplateSlotsCommand =
  /** `limit` is how many the plan allows. `others` are templates that exist, some of which may hold no slot yet: they were created while the plan had no limit. */
  | { type: 'take'; templateId: string; limit: number; others: readonly string[] }
  | { type: 'free'; templateId: string };

const evolve = ({ held }: TemplateSlotsState, event: TemplateSlotEvent): TemplateSlotsState => {
  const { templateId } = event.data;
  switch (event.type) {
    case 'TemplateSlotTaken':
      return { held: [...held, templateId] };
    case 'TemplateSlotFreed':
      return { held: held.filter((one) => one !== templateId) };
    default:
      return event satisfies never;
  }
};

const taken = (templateId: string): TemplateSlotEvent => ({ type: 'TemplateSlotTaken', data: { templateId } });

const decide = (command: TemplateSlotsCommand, { held }: TemplateSlotsState): TemplateSlotEvent[] => {
  switch (command.type) {
    case 'take': {
      if (held.includes(command.templateId)) return [];
      const known = new Set([...held, command.templateId]);
      const without = [...new Set(command.others)].filter((one) => !known.has(one));
      return held.length + without.length < command.limit ? [...without, command.templateId].map(taken) : [];
    }
    case 'free':
      return held.includes(command.templateId) ? [{ type: 'TemplateSlotFreed', data: { templateId: command.templateId } }] : [];
    default:
      return command satisfies never;
  }
};

/** The room for templates in an account whose plan limits it. No events on `take`: the template holds a slot already, or there is none left. */
export const templateSlots: Decider<TemplateSlotsState, TemplateSlotsCommand, TemplateSlotEvent> = { initial: { held: [] }, evolve, decide };
