import { describe, expect, test } from 'vitest';
import { readExamples } from '#libs/templating/examples.ts';
import { prepareDocument, prepareTemplate } from './prepare.ts';
import { prepareSmallHtml, prepareSmallTemplate } from './prepare-small.ts';

const template = (content: string, data: unknown = {}) => ({
  content,
  contentHash: content,
  data: Buffer.from(JSON.stringify(data)),
  variables: [],
  locale: 'en',
  timeZone: 'UTC',
  maxImages: 50,
});
const html = (text: string) => ({ inputType: 'html' as const, data: Buffer.from(text), maxImages: 50 });
const several = Array.from({ length: 400 }, () => 1);
const blocks = (depth: number) => `${'{{#if x}}'.repeat(depth)}${'{{/if}}'.repeat(depth)}`;

describe('a small document', () => {
  test('is prepared in the calling process like in a worker process', async () => {
    for (const {
      template: { content, variables, labels },
      sample,
    } of await readExamples()) {
      const input = { ...template(content, sample), variables, labels: labels['en'] };
      expect(await prepareSmallTemplate(input)).toEqual(await prepareTemplate(input));
    }
    const input = html('<p>Grüße<script>1</script><img src="https://h/a.png">');
    expect(await prepareSmallHtml(input)).toEqual(await prepareDocument(input));
  });

  test('that cannot be prepared is left to a worker process', async () => {
    expect(await prepareSmallHtml(html('<p class="'))).toBeUndefined();
    expect(await prepareSmallTemplate(template('{{x}}'))).toBeUndefined();
    expect(await prepareSmallTemplate({ ...template(''), data: Buffer.from('{') })).toBeUndefined();
  });
});

describe('a document is left to a worker process', () => {
  test.each([
    ['16,384 bytes', 'x'.repeat(16_385)],
    ['1,500 elements', '<b>'.repeat(1_501)],
    [
      '1,500 elements that the parser adds',
      `<p>${Array.from({ length: 100 }, (_, at) => `<b x${at}>`).join('')}${'</p><p>x'.repeat(20)}`,
    ],
    ['a few thousand characters of CSS that may contain URLs', `<style>${'a{b:url(#)}'.repeat(300)}</style>`],
    [
      'a few hundred images with a long base',
      `<base href="https://h/${'x'.repeat(8_000)}">${'<img src=a>'.repeat(300)}`,
    ],
    ['a few errors in such CSS', `<style>.url{${':;'.repeat(80)}</style>`],
    ['a few errors in such attributes', `<p style="b:\\">`.repeat(80)],
  ])('if it has more than %s', async (_, text) => {
    expect(await prepareSmallHtml(html(text))).toBeUndefined();
    expect(await prepareDocument(html(text))).toHaveProperty('html');
  });

  test.each([
    ['16,384 characters of template', 'x'.repeat(16_385), {}],
    ['16,384 bytes of data', '', 'x'.repeat(16_384)],
    ['200 tags', '{{x}}'.repeat(201), { x: 1 }],
    [
      '2,000 characters in tags',
      `{{! a }}{{x${'.x'.repeat(1_000)}}}`,
      JSON.parse(`${'{"x":'.repeat(1_001)}1${'}'.repeat(1_001)}`),
    ],
    ['10 nested blocks', blocks(11), { x: 1 }],
    ['10 parentheses', `{{uppercase ${'(uppercase '.repeat(11)}x${')'.repeat(11)}}}`, { x: '' }],
    ['3,000 steps', '{{#each x}}{{#each ../x}}{{/each}}{{/each}}', { x: several }],
    [
      '3,000 steps by slow tokens of dates',
      `{{#each x}}{{formatDate "2026-01-01" "z WW GGGG"}}{{/each}}`,
      { x: several.slice(0, 5) },
    ],
    ['24,576 bytes of output', '{{#each x}}{{@root.y}}{{/each}}', { x: several, y: 'y'.repeat(100) }],
    ['1,500 elements in its output', '{{#each x}}<i></i><i></i><i></i><i></i>{{/each}}', { x: several }],
  ])('if it is made from a template with more than %s', async (_, content, data) => {
    expect(await prepareSmallTemplate(template(content, data))).toBeUndefined();
    expect(await prepareTemplate(template(content, data))).toHaveProperty('html');
  });
});
