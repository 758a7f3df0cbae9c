import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TemplateSlotEvent } from '#contracts/events/template.ts';
import { fold } from './decider.ts';
import { templateSlots, type TemplateSlotsCommand } from './template-slots.ts';
import { given, historyOf } from './testing/given.ts';

const take = (templateId: string, limit = 2, existingTemplateIds: string[] = []): TemplateSlotsCommand => ({
  type: 'take',
  templateId,
  limit,
  existingTemplateIds,
});
const free = (templateId: string): TemplateSlotsCommand => ({ type: 'free', templateId });
const taken = (templateId: string): TemplateSlotEvent => ({ type: 'TemplateSlotTaken', data: { templateId } });
const freed = (templateId: string): TemplateSlotEvent => ({ type: 'TemplateSlotFreed', data: { templateId } });

describe('The template slots of an account', () => {
  it('are taken once per template, up to the limit', () => {
    expect(given(templateSlots).when(take('a'))).toEqual([taken('a')]);
    expect(given(templateSlots, taken('a')).when(take('a'))).toEqual([]);
    expect(given(templateSlots, taken('a')).when(take('b'))).toEqual([taken('b')]);
    expect(given(templateSlots, taken('a'), taken('b')).when(take('c'))).toEqual([]);
  });

  it('are free again after a deletion', () => {
    expect(given(templateSlots, taken('a'), taken('b')).when(free('a'))).toEqual([freed('a')]);
    expect(given(templateSlots, taken('a'), taken('b'), freed('a')).when(take('c'))).toEqual([taken('c')]);
    expect(given(templateSlots, taken('a')).when(free('b'))).toEqual([]);
  });

  it('are also taken by templates that existed before the plan had a limit', () => {
    expect(given(templateSlots).when(take('c', 3, ['a', 'b', 'a']))).toEqual([taken('a'), taken('b'), taken('c')]);
    expect(given(templateSlots, taken('a')).when(take('c', 2, ['a', 'b']))).toEqual([]);
  });

  it('never exceed the limit, after any commands', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const command = fc.oneof(
      fc.tuple(id, fc.array(id)).map(([templateId, others]) => take(templateId, 3, others)),
      id.map(free),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const { templateIds } = fold(templateSlots, historyOf(templateSlots, commands));
        expect([templateIds.length <= 3, new Set(templateIds).size]).toEqual([true, templateIds.length]);
      }),
    );
  });
});
