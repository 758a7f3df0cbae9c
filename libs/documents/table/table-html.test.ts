import { expect, test } from 'vitest';
import { tableToHtml } from './table-html.ts';

test('a table has a repeated header, right-aligned numbers and escaped text', () => {
  const html = tableToHtml({
    header: ['a', 'b'],
    rows: [
      ['<i>', '1'],
      [null, '2'],
    ],
  });
  expect(html).toContain('<thead><tr><th>a</th><th class="n">b</th></tr></thead>');
  expect(html).toContain('<td>&lt;i&gt;</td><td class="n">1</td>');
  expect(html).toContain('<td><span class="null">null</span></td>');
});

test('a table too wide for the page is split into sections that name their columns', () => {
  const header = Array.from({ length: 40 }, (_, column) => `column ${column + 1}`);
  const html = tableToHtml({ header, rows: [header] });
  expect(html.match(/<table /g)?.length).toBeGreaterThan(1);
  expect(html).toContain('<p class="part">Columns 1–');
  expect(html).toContain('–40 of 40</p>');
  for (const name of header) expect(html).toContain(`>${name}</td>`);
});
