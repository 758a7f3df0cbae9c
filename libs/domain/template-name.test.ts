import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TemplateNameEvent } from '#contracts/events/template.ts';
import { fold } from './decider.ts';
import { given, historyOf } from './testing/given.ts';
import { templateName, type TemplateNameCommand } from './template-name.ts';

const reserve = (templateId: string, cancelledBy: string | null = null): TemplateNameCommand => ({
  type: 'reserve',
  accountId: 'acc_1',
  name: 'Invoice',
  templateId,
  cancelledBy,
});
const release = (templateId: string): TemplateNameCommand => ({ type: 'release', templateId });
const reserved = (templateId: string): TemplateNameEvent => ({
  type: 'TemplateNameReserved',
  data: { accountId: 'acc_1', name: 'Invoice', templateId },
});
const released = (templateId: string): TemplateNameEvent => ({ type: 'TemplateNameReleased', data: { templateId } });

describe('A template name', () => {
  it('is reserved by the first template that requests it', () => {
    expect(given(templateName).when(reserve('a'))).toEqual([reserved('a')]);
    expect(given(templateName, reserved('a')).when(reserve('b'))).toEqual([]);
    expect(given(templateName, reserved('a')).when(reserve('a'))).toEqual([reserved('a')]);
  });

  it('can be released only by its holder, and is then free', () => {
    expect(given(templateName, reserved('a')).when(release('b'))).toEqual([]);
    expect(given(templateName, reserved('a')).when(release('a'))).toEqual([released('a')]);
    expect(given(templateName, reserved('a'), released('a')).when(release('a'))).toEqual([]);
    expect(given(templateName, reserved('a'), released('a')).when(reserve('b'))).toEqual([reserved('b')]);
  });

  it('can be reserved for another template if its holder has cancelled the reservation', () => {
    expect(given(templateName, reserved('a')).when(reserve('b', 'a'))).toEqual([released('a'), reserved('b')]);
    expect(given(templateName, reserved('c')).when(reserve('b', 'a'))).toEqual([]);
  });

  it('has one holder at a time, after any commands', () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const command = fc.oneof(
      fc.tuple(id, fc.option(id)).map(([templateId, cancelledBy]) => reserve(templateId, cancelledBy)),
      id.map(release),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const events = historyOf(templateName, commands);
        for (const [index, event] of events.entries()) {
          const before = fold(templateName, events.slice(0, index));
          const holder = before.status === 'RESERVED' ? before.templateId : null;
          expect(
            event.type === 'TemplateNameReserved' ? [null, event.data.templateId] : [event.data.templateId],
          ).toContain(holder);
        }
      }),
    );
  });
});
