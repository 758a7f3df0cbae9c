import { afterAll, describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { parseHeaderFooter } from '#libs/chromium/header-footer/parse.ts';
import { scriptFreeClassification } from './html/classify.ts';
import { openDocumentPreparation } from './document-preparation.ts';

const preparation = openDocumentPreparation({ processes: 1, memoryMb: 96 });
afterAll(() => preparation.close());

const prepare = (inputType: 'html' | 'json' | 'markdown', text: string, timeoutMs = 60_000) =>
  preparation.prepare({ inputType, data: Buffer.from(text), maxImages: 50 }, { timeoutMs });
const apiErrorFieldsOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error.fields;
  throw new Error('no ApiError was thrown', { cause: error });
};

const endless = `# a\n\n${'*a **b '.repeat(400_000)}`;
const enormous = `[${Array.from({ length: 150_000 }, (_, id) => `{"id":${id},"list":[1,2,3]}`).join(',')}]`;

describe('preparation in worker processes', () => {
  test('returns what the converters produce and does not change the data of the caller', async () => {
    const data = Buffer.from('<p>Grüße</p>');
    expect(await preparation.prepare({ inputType: 'html', data, maxImages: 50 }, { timeoutMs: 60_000 })).toEqual({
      html: '<p>Grüße</p>',
      classification: scriptFreeClassification,
      lacksLanguage: true,
    });
    expect(data.toString()).toBe('<p>Grüße</p>');
  });

  test('parses headers and footers as the printer does, and refuses invalid ones', async () => {
    const [sources, requestedAt] = [
      { header_html: '<style>p { color: red }</style><p>{{page}} {{date}}', footer_html: null },
      new Date('2026-02-03'),
    ];
    expect(await preparation.parseHeaderFooter({ sources, requestedAt }, { timeoutMs: 60_000 })).toEqual({
      contents: parseHeaderFooter(sources, requestedAt),
    });
    const deep = preparation.parseHeaderFooter(
      { sources: { header_html: null, footer_html: '<div>'.repeat(100_000) }, requestedAt },
      { timeoutMs: 60_000 },
    );
    expect(await apiErrorFieldsOf(deep)).toMatchObject({
      name: 'conversion_failed',
      extra: { details: { field: 'footer_html' } },
    });
  });

  test('returns decoded text: without a byte order mark, and from base64', async () => {
    expect((await prepare('html', '\ufeff<p>Grüße</p>')).html).toBe('<p>Grüße</p>');
    expect((await prepare('html', Buffer.from('<p>Grüße, all of you</p>').toString('base64'))).html).toBe(
      '<p>Grüße, all of you</p>',
    );
    const large = `<p>${'Grüße '.repeat(5_000)}</p>`;
    expect((await prepare('html', `\ufeff${large}`)).html).toBe(large);
    expect((await prepare('html', Buffer.from(large).toString('base64'))).html).toBe(large);
  });

  test('throws the ApiErrors of the converters with all their fields', async () => {
    expect(await apiErrorFieldsOf(prepare('json', '{\n'))).toEqual({
      name: 'conversion_failed',
      message: expect.stringContaining('line 2'),
      extra: { details: expect.any(String), line: 2 },
    });
  });

  test('ends a task at its timeout, and continues with others', async () => {
    expect(await apiErrorFieldsOf(prepare('markdown', endless, 250))).toEqual({
      name: 'processing_timeout',
      message: expect.any(String),
      extra: { timeout_seconds: 0.25 },
    });
    expect((await prepare('json', '"next"')).html).toContain('next');
  });

  test('survives timeouts of tasks whose processes have not started yet', async () => {
    for (let round = 0; round < 5; round += 1) await apiErrorFieldsOf(prepare('markdown', endless, 1));
    expect((await prepare('json', '"next"')).html).toContain('next');
  });

  test('refuses a document that needs too much memory, and continues with others', async () => {
    expect(await apiErrorFieldsOf(prepare('json', enormous))).toMatchObject({
      name: 'conversion_failed',
      extra: { details: { reason: 'out of memory', limit_mb: 96 } },
    });
    expect((await prepare('json', '"next"')).html).toContain('next');
  });

  test('prepares several documents at once and returns each to its caller', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const prepared = await Promise.all(texts.map((text) => prepare('markdown', text)));
    expect(prepared.map(({ html }) => /<p>(.*)<\/p>/.exec(html)?.[1])).toEqual(texts);
  });

  test('rejects waiting and running tasks when it is closed', async () => {
    const closing = openDocumentPreparation({ processes: 1 });
    const works = [1, 2].map(() =>
      closing.prepare({ inputType: 'markdown', data: Buffer.from(endless), maxImages: 50 }, { timeoutMs: 60_000 }),
    );
    const ends = Promise.allSettled(works);
    await closing.close();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(
      closing.prepare({ inputType: 'json', data: Buffer.from('1'), maxImages: 50 }, { timeoutMs: 60_000 }),
    ).rejects.toThrow('closed');
  });
});
