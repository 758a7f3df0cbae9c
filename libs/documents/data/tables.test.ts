import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertJson } from '../json/convert.ts';
import { convertXml } from '../xml/convert.ts';
import { parseXml } from '../xml/parse.ts';
import { xmlToValue } from '../xml/records.ts';

type Convert = (text: string) => { html: string };
const json: Convert = (text) => convertJson(text);
const bodyOf = (convert: Convert, text: string) => /<main[^>]*>([^]*)<\/main>/.exec(convert(text).html)?.[1] ?? '';
const jsonBody = (value: unknown) => bodyOf(json, JSON.stringify(value));
const xmlBody = (text: string) => bodyOf(convertXml, text);
const titleOf = (html: string) => /<title>(.*)<\/title>/.exec(html)?.[1];
const unescaped = (html: string) =>
  html
    .replace(/<[^>]*>/g, '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

describe('records in JSON', () => {
  test('with objects in them have groups of columns', () => {
    const body = jsonBody([
      { id: 1, customer: { name: 'Ada', city: 'London' }, total: 9.5 },
      { id: 2, customer: { name: 'Bob' }, total: null },
    ]);
    expect(body).toContain(
      '<thead><tr><th rowspan="2" class="n">id</th><th class="group" colspan="2">customer</th>' +
        '<th rowspan="2" class="n">total</th></tr><tr><th>name</th><th>city</th></tr></thead>',
    );
    expect(body).toContain(
      '<td class="n">2</td><td>Bob</td><td></td><td class="n"><span class="null">null</span></td>',
    );
  });

  test('have lists and small deeper values in one cell', () => {
    const body = jsonBody([{ tags: ['a', 'b'], place: { at: [1.5, 2] }, deep: { a: { b: 1 } }, x: 1, y: 2, z: 3 }]);
    for (const cell of ['a, b', '1.5, 2', '{&quot;b&quot;: 1}']) expect(body).toContain(`>${cell}</td>`);
  });

  test('in an object come after its other values, under their own heading', () => {
    const body = jsonBody({ shop: 'Ink', orders: [{ id: 1 }, { id: 2 }], meta: { page: 1 }, tags: ['a', 'b'] });
    expect(body).toContain('<tr><th>shop</th><td>Ink</td></tr>\n<tr><th>tags</th><td>a, b</td></tr>');
    expect(body).toMatch(/<h2 class="section">orders<\/h2>\n<table class="grid"[^]*<h2 class="section">meta<\/h2>/);
    expect(body.match(/<table/g)).toHaveLength(3);
    expect(jsonBody({ data: { orders: [{ id: 1 }] } })).toMatch(/<h2[^>]*>data<\/h2>\n<h3[^>]*>orders<\/h3>\n<table/);
  });

  test('are trees if they differ too much or are too deep', () => {
    const deep = { a: { b: { c: 'x'.repeat(200) } } };
    for (const value of [{ a: { b: { c: 1 } } }, [deep, deep], [{ a: 1 }, { b: 1 }, { c: 1 }, { d: 1 }], [[1], [2]]])
      expect(jsonBody(value)).toMatch(/^\s*<div class="tree">/);
  });

  test('stay in groups when a wide table is split', () => {
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`inner ${index}`, `value ${index}`]));
    const body = jsonBody([{ id: 1, wide }]);
    expect(body.match(/<table/g)!.length).toBeGreaterThan(1);
    const spans = [...body.matchAll(/colspan="(\d+)">wide</g)].map(([, span]) => Number(span));
    expect(spans.reduce((sum, span) => sum + span, 0)).toBe(40);
  });
});

describe('repeated elements in XML', () => {
  test('are tables of their attributes and child elements', () => {
    const order = (id: number) =>
      `<order id="${id}"><who><name>A&amp;B</name><city>C</city></who><item>x</item><item>y</item><e/></order>`;
    const body = xmlBody(`<?xml version="1.0"?><orders>${order(1)}${order(2)}</orders>`);
    expect(body).toMatch(/<h2 class="section">order<\/h2>\n<table class="grid"/);
    expect(body).toContain('<th class="group" colspan="2">who</th>');
    expect(body).toContain('<td class="n">2</td><td>A&amp;B</td><td>C</td><td>x, y</td><td></td>');
  });

  test('of a feed have namespaces and character data, after the values of the channel', () => {
    const item = (n: number) =>
      `<item><title>T${n}</title><guid isPermaLink="false">g${n}</guid><dc:creator>Ada</dc:creator>` +
      `<description><![CDATA[<b>bold</b>]]></description></item>`;
    const body = xmlBody(
      `<rss version="2.0" xmlns:dc="urn:dc"><channel><title>News</title>${item(1)}${item(2)}</channel></rss>`,
    );
    expect(body).toContain('<tr><th>title</th><td>News</td></tr>');
    for (const text of [
      '>dc:creator</th>',
      '>urn:dc</td>',
      '>&lt;b&gt;bold&lt;/b&gt;</td>',
      '>g2</td>',
      '>(text)</th>',
    ])
      expect(body).toContain(text);
  });

  test('are tables also with an empty element among them, which is an empty row', () => {
    const body = xmlBody('<rows><row><n>A</n><v>1</v></row><row/><row><n>C</n><v>3</v></row></rows>');
    expect(body).toContain('<tr><td></td><td class="n"></td></tr>\n<tr><td>C</td><td class="n">3</td></tr>');
  });

  test.each([
    ['mixed content', '<a><b>x <i>y</i></b><b>z</b></a>'],
    ['elements in no order', '<a><h>1</h><p>2</p><h>3</h><p>4</p></a>'],
    ['comments', '<a><!-- c --><b x="1"/><b x="2"/></a>'],
    ['a document type', '<!DOCTYPE a><a><b x="1"/><b x="2"/></a>'],
    ['an instruction', '<a><?p q?><b x="1"/><b x="2"/></a>'],
    ['an attribute and an element of the same name', '<a><r b="1"><b>2</b></r><r b="1"><b>2</b></r></a>'],
    ['nothing repeated', '<a><b><c>1</c></b></a>'],
  ])('stay XML with %s', (_, text) => {
    expect(xmlBody(text)).toMatch(/^\s*<div class="tree source">/);
  });
});

const text = fc.string({ unit: fc.constantFrom('a', 'Z', '7', 'é', '<', '&', '"', ',', ' ', '字'), minLength: 1 });
const anyText = text.filter((value) => value.trim() !== '');

test('no value of JSON is lost in a table or a tree', () => {
  const scalar = fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null), fc.constant(''));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(anyText, tie('value'), { maxKeys: 4 }),
      fc.array(fc.dictionary(fc.constantFrom('id', 'name', 'x'), tie('value'), { minKeys: 2 }), { maxLength: 4 }),
    ),
  }));
  const leavesOf = (inner: unknown): string[] => {
    if (typeof inner !== 'object' || inner === null) return inner === '' ? [] : [String(inner)];
    return Object.entries(inner).flatMap(([key, each]) => [...(Array.isArray(inner) ? [] : [key]), ...leavesOf(each)]);
  };
  fc.assert(
    fc.property(value, (input) => {
      const shown = unescaped(jsonBody(input));
      // A value within a cell of JSON is quoted as JSON.
      const isShown = (leaf: string) => shown.includes(leaf) || shown.includes(JSON.stringify(leaf).slice(1, -1));
      expect(leavesOf(input).filter((leaf) => !isShown(leaf))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('no value of XML is lost in a table or a listing', () => {
  const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const valuesOf = (xml: string) => unescaped(xml.replace(/=\s*"([^"]*)"/g, '>$1<'));
  const name = fc.constantFrom('a', 'b', 'c:d', 'item');
  const { element } = fc.letrec<{ element: string }>((tie) => ({
    element: fc
      .tuple(
        name,
        fc.dictionary(fc.constantFrom('id', 'x'), anyText),
        fc.oneof(
          { maxDepth: 4 },
          anyText.map(escaped),
          fc.array(tie('element'), { maxLength: 4 }).map((all) => all.join('')),
        ),
      )
      .map(([tag, attributes, content]) => {
        const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
        return `<${tag}${written.join('')}>${content}</${tag}>`;
      }),
  }));
  fc.assert(
    fc.property(element, (inner) => {
      const xml = `<root xmlns:c="urn:c">${inner}${inner}</root>`;
      const body = xmlBody(xml);
      const shown = body.includes('class="tree source"') ? valuesOf(unescaped(body)) : unescaped(body);
      const unquoted = shown.replaceAll('\\"', '"');
      const values = valuesOf(xml).split('\n');
      expect(values.filter((value) => !unquoted.includes(value.trim()))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('the title comes from the file name, then from the root', () => {
  const named = { fileName: 'exports/orders-2026.json.pdf' };
  expect(titleOf(convertJson('[1]', null, named).html)).toBe('orders-2026');
  expect(titleOf(convertJson('{"orders":[{"id":1}]}').html)).toBe('orders');
  expect(titleOf(convertJson('[1]').html)).toBe('JSON');
  expect(titleOf(convertXml('<feed><a/></feed>').html)).toBe('feed');
});

test('XML whose elements all have other names is read in linear time', () => {
  const elements = Array.from({ length: 300_000 }, (_, index) => `<a${index}/>`);
  expect(xmlToValue(parseXml(`<r>${elements.join('')}</r>`))).toMatchObject({ name: 'r', value: { type: 'object' } });
});
