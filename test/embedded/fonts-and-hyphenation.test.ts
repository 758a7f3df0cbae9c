import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

type Fonts = {
  used: { family: string }[];
  missing: { family: string; substitutes: string[]; metric_compatible: boolean }[];
};

const fontsOf = async (html: string): Promise<Fonts> => {
  const { id } = await caller.render('html', html);
  const job = await caller.request('GET', `/api/v1/jobs/${id.replace('render_', 'job_')}?diagnostics=true`);
  return (job.body['diagnostics'] as { fonts: Fonts }).fonts;
};

describe('A font that is not installed', () => {
  const substitutes: [family: string, substitute: string, isMetricCompatible: boolean][] = [
    ['Calibri', 'Carlito', true],
    ['Cambria', 'Caladea', true],
    ['Courier New', 'Liberation Mono', true],
    ['Book Antiqua', 'TeX Gyre Pagella', true],
    ['Georgia', 'TeX Gyre Pagella', false],
    ['Verdana', 'DejaVu Sans', false],
    ['Comic Sans MS', 'Comic Neue', false],
    ['Garamond', 'EB Garamond 12', false],
  ];

  it('is replaced by one that is like it, and the diagnostics name it', async () => {
    const html = substitutes.map(([family]) => `<p style="font-family: '${family}', monospace">Text`).join('\n');
    const { missing } = await fontsOf(html);
    expect(missing).toEqual(
      substitutes.map(([family, substitute, metric_compatible]) => ({
        family,
        substitutes: [substitute],
        metric_compatible,
      })),
    );
  });

  it('is replaced by the next font of the document if nothing is like it', async () => {
    const { missing, used } = await fontsOf('<p style="font-family: Nowhere, Cambria, serif">Text');
    expect(missing).toEqual([{ family: 'Nowhere', substitutes: ['Caladea'], metric_compatible: false }]);
    expect(used.map(({ family }) => family)).toEqual(['Caladea']);
  });

  it('is named also if it is the font that the browser uses by default, but not if the document names none', async () => {
    const named = '<p style="font-family: \'Times New Roman\'">Text</p><p style="font-family: Times">Text</p>';
    const substitutes = ['Liberation Serif'];
    const { missing, used } = await fontsOf(`<p>Text</p>${named}`);
    expect(missing).toEqual([
      { family: 'Times New Roman', substitutes, metric_compatible: true },
      { family: 'Times', substitutes, metric_compatible: true },
    ]);
    expect(used.map(({ family }) => family)).toEqual(substitutes);
    expect((await fontsOf('<p>Text</p>')).missing).toEqual([]);
  });

  it('can be a generic one: cursive is handwriting, and formulas have a font for mathematics', async () => {
    const { used, missing } = await fontsOf('<p style="font-family: cursive">Text</p><math><mi>x</mi></math>');
    expect(used.map(({ family }) => family).toSorted()).toEqual(['Dancing Script', expect.stringContaining('Math')]);
    expect(missing).toEqual([]);
  });
});

describe('A narrow column with hyphens: auto', () => {
  const column = (language: string, text: string, style = 'hyphens: auto'): string =>
    `<html lang="${language}"><p style="width: 34mm; font: 12pt Arial; ${style}">${text}</p>`;
  const linesOf = async (html: string): Promise<string[]> =>
    (await caller.renderedPages('html', html))[0]!.text.split('\n').map((line) => line.trim());

  it.each([
    ['en', 'considerations regarding international responsibilities', /^[a-z ]+[-‐]$/],
    ['en-GB', 'considerations regarding international responsibilities', /^[a-z ]+[-‐]$/],
    ['de', 'Rechtsschutzversicherungsgesellschaften', /^[A-Za-z]+[-‐]$/],
    ['de-AT', 'Grundstücksverkehrsgenehmigungszuständigkeit', /^[A-Za-zü]+[-‐]$/],
    ['fr', 'anticonstitutionnellement internationalisation', /^[a-z ]+[-‐]$/],
    ['pl', 'przedsiębiorstwo Konstantynopolitańczykowianeczka', /[-‐]$/],
  ])('is hyphenated in %s, and its words are whole without the hyphens', async (language, text, broken) => {
    const lines = await linesOf(column(language, text));
    expect(lines.some((line) => broken.test(line))).toBe(true);
    expect(
      lines
        .map((line) => (/[-‐]$/.test(line) ? line.slice(0, -1) : `${line} `))
        .join('')
        .trim(),
    ).toBe(text);
  });

  it('is not hyphenated in an unknown language, or without hyphens: auto', async () => {
    const text = 'Rechtsschutz Versicherungen Gesellschaften';
    expect((await linesOf(column('xx', text))).join(' ')).toBe(text);
    expect((await linesOf(column('de', text, ''))).join(' ')).toBe(text);
  });
});

describe('A long word that does not fit into its line', () => {
  const word = 'Rechtsschutzversicherungsgesellschaften';
  const hyphenated = /[a-z][-‐]\s*[a-z]/;
  const narrow = { locale: 'de', page_size: 'A6', margin_left: '6cm' };
  const textOf = async (inputType: string, data: unknown): Promise<string> =>
    (await caller.renderedPages(inputType, data, narrow))[0]!.text;

  it.each([
    ['a paragraph in Markdown', 'markdown', word],
    ['a list in Markdown', 'markdown', `- ${word}`],
    ['a quotation in Markdown', 'markdown', `> ${word}`],
    ['a table in Markdown', 'markdown', `| Wort |\n|---|\n| ${word} |`],
    ['a list in a table in Markdown', 'markdown', '<table><tr><td><ul><li>Zuständigkeiten</ul></table>'],
    ['CSV', 'csv', `Wort\n${word}\n`],
    ['a table in JSON', 'json', [{ wort: word }, { wort: 'kurz' }]],
    ['the values of an object in JSON', 'json', { wort: word, posten: [{ a: 1 }, { a: 2 }] }],
    ['a table in XML', 'xml', `<liste><x><wort>${word}</wort></x><x><wort>kurz</wort></x></liste>`],
  ])('is hyphenated in %s', async (_, inputType, data) => {
    expect(await textOf(inputType, data)).toMatch(hyphenated);
  });

  it.each([
    ['a heading in Markdown', 'markdown', `# ${word}`],
    ['a heading in a list in Markdown', 'markdown', `- # ${word}`],
    ['code in Markdown', 'markdown', `\`${word}\``],
    ['a code block in Markdown', 'markdown', `~~~\n${word.repeat(2)}\n~~~`],
    ['a URL in Markdown', 'markdown', `<https://host.test/${word}>`],
    ['a URL in CSV', 'csv', `URL\nhttps://host.test/${word}\n`],
    ['a name in CSV', 'csv', `Name\n${word}_a\n`],
    ['a file name in JSON', 'json', { datei: `a/${word}`, posten: [{ a: 1 }, { a: 2 }] }],
  ])('is not hyphenated in %s', async (_, inputType, data) => {
    const text = await textOf(inputType, data);
    expect(text).not.toMatch(hyphenated);
    expect(text.replace(/\s/g, '')).toContain(word);
  });

  it('does not break ordinary words of a paragraph', async () => {
    const text = await textOf('markdown', 'Versicherung Entscheidung Bedienung '.repeat(5));
    expect(text).not.toMatch(hyphenated);
  });
});
