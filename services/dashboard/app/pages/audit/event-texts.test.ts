import { expect, test } from 'vitest';
import { partsOf, sentenceOf } from './event-texts.ts';

test.each([
  [{ mode: 'RENDER', template_version: 3 }, 'Render requested from version 3 of a template'],
  [{ mode: 'CONVERT', input_type: 'markdown' }, 'Render of markdown requested'],
  [{ mode: 'COMPOSE', parts: 4 }, 'Render of 4 parts requested'],
  [{ mode: 'COMPOSE', parts: 1 }, 'Render of 1 part requested'],
])('The event of a request names what was rendered: %o', (source, sentence) => {
  expect(sentenceOf({ type: 'RenderRequested', data: { source } })).toBe(sentence);
});

test('A text from right to left is isolated from the sentence around it, and no other text is', () => {
  const of = (name: string): string[] => partsOf(sentenceOf({ type: 'AccountOpened', data: { name, plan: 'pro' } }));
  expect(of('قالب 1')).toEqual(['Account “', 'قالب 1', '” opened with the plan pro']);
  expect(of('Mill 1')).toEqual(['Account “Mill 1” opened with the plan pro']);
});
