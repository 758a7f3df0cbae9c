import type { TemplateSlotEvent } from '#contracts/events/template.ts';
import type { Decider } from './decider.ts';

/** The templates that hold a slot of the account, by bare id. */
export type TemplateSlotsState = { templateIds: readonly string[] };

export type TemplateSlotsCommand =
  /**
   * `limit` is that of the plan. `existingTemplateIds` may include templates without a slot, created while the plan had
   * no limit.
   */
  | { type: 'take'; templateId: string; limit: number; existingTemplateIds: readonly string[] }
  | { type: 'free'; templateId: string };

const evolve = ({ templateIds }: TemplateSlotsState, event: TemplateSlotEvent): TemplateSlotsState => {
  const { templateId } = event.data;
  switch (event.type) {
    case 'TemplateSlotTaken':
      return { templateIds: [...templateIds, templateId] };
    case 'TemplateSlotFreed':
      return { templateIds: templateIds.filter((id) => id !== templateId) };
    default:
      return event satisfies never;
  }
};

const slotTaken = (templateId: string): TemplateSlotEvent => ({ type: 'TemplateSlotTaken', data: { templateId } });

const decide = (command: TemplateSlotsCommand, { templateIds }: TemplateSlotsState): TemplateSlotEvent[] => {
  switch (command.type) {
    case 'take': {
      if (templateIds.includes(command.templateId)) return [];
      const counted = new Set([...templateIds, command.templateId]);
      const withoutSlot = [...new Set(command.existingTemplateIds)].filter((id) => !counted.has(id));
      return templateIds.length + withoutSlot.length < command.limit
        ? [...withoutSlot, command.templateId].map(slotTaken)
        : [];
    }
    case 'free':
      return templateIds.includes(command.templateId)
        ? [{ type: 'TemplateSlotFreed', data: { templateId: command.templateId } }]
        : [];
    default:
      return command satisfies never;
  }
};

/**
 * The template slots of an account with a limited plan. `take` returns no events if the template already holds a slot,
 * or none is left.
 */
export const templateSlots: Decider<TemplateSlotsState, TemplateSlotsCommand, TemplateSlotEvent> = {
  initial: { templateIds: [] },
  evolve,
  decide,
};
