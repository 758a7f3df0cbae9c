import type { TemplateNameEvent } from '#contracts/events/template.ts';
import type { Decider } from './decider.ts';

export type TemplateNameState = { status: 'FREE' } | { status: 'RESERVED'; templateId: string };

export type TemplateNameCommand =
  /** `forgoneBy` is a template that has given the name up without having used it: its reservation no longer counts. */
  | { type: 'reserve'; accountId: string; name: string; templateId: string; cancelledBy: string | null }
  | { type: 'release'; templateId: string };

const evolve = (_: TemplateNameState, event: TemplateNameEvent): TemplateNameState => {
  switch (event.type) {
    case 'TemplateNameReserved':
      return { status: 'RESERVED', templateId: event.data.templateId };
    case 'TemplateNameReleased':
      return { status: 'FREE' };
    default:
      return event satisfies never;
  }
};

const decide = (command: TemplateNameCommand, state: TemplateNameState): TemplateNameEvent[] => {
  switch (command.type) {
    case 'reserve': {
      const { accountId, name, templateId, cancelledBy } = command;
      const reserved: TemplateNameEvent = { type: 'TemplateNameReserved', data: { accountId, name, templateId } };
      // Reserved again for the same template: whoever reserved it before cannot release it any more.
      if (state.status === 'FREE' || state.templateId === templateId) return [reserved];
      if (state.templateId === cancelledBy)
        return [{ type: 'TemplateNameReleased', data: { templateId: cancelledBy } }, reserved];
      return [];
    }
    case 'release':
      return state.status === 'RESERVED' && state.templateId === command.templateId
        ? [{ type: 'TemplateNameReleased', data: { templateId: command.templateId } }]
        : [];
    default:
      return command satisfies never;
  }
};

/** A name within an account, held by at most one template. No events on `reserve`: it is taken. */
export const templateName: Decider<TemplateNameState, TemplateNameCommand, TemplateNameEvent> = {
  initial: { status: 'FREE' },
  evolve,
  decide,
};
