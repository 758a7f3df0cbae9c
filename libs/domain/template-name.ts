import type { TemplateNameEvent } from '#contracts/events/template.ts';
import type { Decider } from './decider.ts';

export type TemplateNameState = { status: 'FREE' } | { status: 'RESERVED'; templateId: string };

export type TemplateNameCommand =
  /** `cancelledBy` is a template that has cancelled its reservation of the name. */
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
      // Reserve again for the same template, so that the request that reserved the name earlier can no longer release
      // it.
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

/** A template name in an account, held by at most one template. `reserve` returns no events if the name is taken. */
export const templateName: Decider<TemplateNameState, TemplateNameCommand, TemplateNameEvent> = {
  initial: { status: 'FREE' },
  evolve,
  decide,
};
