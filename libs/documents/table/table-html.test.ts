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

test.each([
  [4_000, 2, [4_000]],
  [4_001, 2, [2_000, 2_000, 1]],
  [6_000, 2, [2_000, 2_000, 2_000]],
  [4_000, 10, [4_000]],
  [3_000, 16, [1_250, 1_250, 500]],
])('%i rows of %i cells become tables of %j rows with the same header and columns, each on a new page', (...row) => {
  const [rows, columns, sizes] = row;
  const header = Array.from({ length: columns }, (_, column) => `${column}`);
  const cells = header.map(() => 'x');
  const html = tableToHtml({
    header,
    rows: Array.from({ length: rows }, (_, index) => [`r${index}`, ...cells.slice(1)]),
  });
  const tables = html.split('\n<table ');
  expect(tables.map((table) => table.match(/<tr><td>/g)?.length)).toEqual(sizes);
  expect(tables.map((table) => table.includes('class="grid continued"'))).toEqual(sizes.map((_, index) => index > 0));
  expect(new Set(tables.map((table) => /<colgroup>.*<\/thead>/s.exec(table)?.[0])).size).toBe(1);
  expect([...html.matchAll(/<td>r(\d+)</g)].map(([, index]) => Number(index))).toEqual([...Array(rows).keys()]);
});
