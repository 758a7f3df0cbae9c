import type { TemplateSlotEvent } from '#contracts/events/template.ts';
import type { Decider } from './decider.ts';

/** The templates that take up room in an account, by their bare ids. */
export type TemplateSlotsState = { templateIds: readonly string[] };

export type TemplateSlotsCommand =
  /** `limit` is how many the plan allows. `others` are templates that exist, some of which may hold no slot yet: they were created while the plan had no limit. */
  | { type: 'take'; templateId: string; limit: number; existingTemplateIds: readonly string[] }
  | { type: 'free'; templateId: string };

const evolve = ({ templateIds }: TemplateSlotsState, event: TemplateSlotEvent): TemplateSlotsState => {
  const { templateId } = event.data;
  switch (event.type) {
    case 'TemplateSlotTaken':
      return { templateIds: [...templateIds, templateId] };
    case 'TemplateSlotFreed':
      return { templateIds: templateIds.filter((one) => one !== templateId) };
    default:
      return event satisfies never;
  }
};

const taken = (templateId: string): TemplateSlotEvent => ({ type: 'TemplateSlotTaken', data: { templateId } });

const decide = (command: TemplateSlotsCommand, { templateIds }: TemplateSlotsState): TemplateSlotEvent[] => {
  switch (command.type) {
    case 'take': {
      if (templateIds.includes(command.templateId)) return [];
      const known = new Set([...templateIds, command.templateId]);
      const without = [...new Set(command.existingTemplateIds)].filter((one) => !known.has(one));
      return templateIds.length + without.length < command.limit ? [...without, command.templateId].map(taken) : [];
    }
    case 'free':
      return templateIds.includes(command.templateId)
        ? [{ type: 'TemplateSlotFreed', data: { templateId: command.templateId } }]
        : [];
    default:
      return command satisfies never;
  }
};

/** The room for templates in an account whose plan limits it. No events on `take`: the template holds a slot already, or there is none left. */
export const templateSlots: Decider<TemplateSlotsState, TemplateSlotsCommand, TemplateSlotEvent> = {
  initial: { templateIds: [] },
  evolve,
  decide,
};
