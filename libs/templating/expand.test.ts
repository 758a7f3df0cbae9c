import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { expansionError, expanded } from './testing/expand-template.ts';

describe('a placeholder', () => {
  it('gives the value of a name, a path or an index', () => {
    expect(
      expanded('{{name}} {{customer.city}} {{items.[1]}} {{items.length}}', {
        name: 'Ada',
        customer: { city: 'Wien' },
        items: ['a', 'b'],
      }),
    ).toBe('Ada Wien b 2');
  });

  it('gives numbers, booleans and lists as text, and null as nothing', () => {
    expect(expanded('{{a}}|{{b}}|{{c}}|{{d}}|{{e}}', { a: 0, b: false, c: ['x', null, 2], d: null, e: '' })).toBe(
      '0|false|x,,2||',
    );
  });

  it.each([
    ['4.20', '4.2'],
    ['0.0000005', '0.0000005'],
    ['-1.25e-7', '-0.000000125'],
    ['123456789e-28', '0.0000000000000000000123456789'],
    ['6.5e-34', '6.5e-34'],
    ['1500000000000000000', '1500000000000000000'],
    ['6e23', '6e+23'],
  ])('gives the number %s as %s', (number, text) => {
    const data = { n: Number(number), list: [Number(number)] };
    expect(expanded('{{n}} {{list}} {{uppercase n}}', data)).toBe(`${text} ${text} ${text.toUpperCase()}`);
  });

  it('gives the digits of every number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        expect(Number(expanded('{{n}}', { n }))).toBe(n === 0 ? 0 : n);
      }),
    );
  });

  it('is escaped within double braces, but not within triple braces', () => {
    expect(expanded('{{x}} {{{x}}}', { x: `<a href="?a=1&b='2'">` })).toBe(
      '&lt;a href&#x3D;&quot;?a&#x3D;1&amp;b&#x3D;&#x27;2&#x27;&quot;&gt; <a href="?a=1&b=\'2\'">',
    );
  });

  it('never lets a value become markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (x) => {
        expect(expanded('{{x}}', { x })).not.toMatch(/[<>"'`=]/);
      }),
    );
  });

  it.each([
    ['{{customer}}', 'an object'],
    ['{{#each list}}{{this}}{{/each}}', 'an object'],
    ['{{list}}', 'a list of objects'],
  ])('for an object is refused rather than shown as [object Object]: %s', (content, what) => {
    const error = expansionError(content, { customer: { city: 'Wien' }, list: [{ a: 1 }] });
    expect(error).toMatchObject({ name: 'template_render_error', extra: { line: 1 } });
    expect(error.message).toContain(what);
  });

  it("for a variable with a helper's name is written with this", () => {
    expect(expanded('{{this.json}}', { json: 'a value' })).toBe('a value');
  });
});

describe('a block', () => {
  it.each([
    [true, 'yes'],
    [1, 'yes'],
    ['a', 'yes'],
    [[0], 'yes'],
    [{}, 'yes'],
    [false, 'no'],
    [0, 'no'],
    ['', 'no'],
    [[], 'no'],
    [null, 'no'],
    [undefined, 'no'],
  ])('if treats %j as %s', (x, result) => {
    expect(expanded('{{#if x}}yes{{else}}no{{/if}}', { x })).toBe(result);
    expect(expanded('{{#unless x}}no{{else}}yes{{/unless}}', { x })).toBe(result);
  });

  it('if can treat zero as true', () => {
    expect(expanded('{{#if x includeZero=true}}yes{{else}}no{{/if}}', { x: 0 })).toBe('yes');
  });

  it('else if tests the next condition', () => {
    expect(expanded('{{#if a}}a{{else if b}}b{{else}}c{{/if}}', { b: true })).toBe('b');
  });

  it('each counts from 1 in @number', () => {
    expect(expanded('{{#each x}}{{@number}}{{this}} {{/each}}', { x: ['a', 'b'] })).toBe('1a 2b ');
  });

  it('each iterates over lists and objects and sets @index and @key', () => {
    const template = '{{#each x}}{{@index}}/{{@key}}={{this}}{{#unless @last}},{{/unless}}{{/each}}';
    expect(expanded(template, { x: ['a', 'b'] })).toBe('0/0=a,1/1=b');
    expect(expanded(template, { x: { p: 1, q: 2 } })).toBe('0/p=1,1/q=2');
  });

  it.each([[undefined], [null], [[]], [{}], [''], [false], [0]])('each over %j is empty', (x) => {
    expect(expanded('{{#each x}}item{{else}}none{{/each}}', { x })).toBe('none');
  });

  it.each([['text'], [5], [true], [parseExactJson('12345678901234567890')]])('each over %j is refused', (x) => {
    const content = '\n{{#each orders}}{{#each x}}item{{else}}none{{/each}}{{/each}}';
    const { name, message, extra } = expansionError(content, { orders: [{ x }] });
    expect(name).toBe('template_render_error');
    expect(message).toContain('Line 2 of the template, for orders[0].x: "x" is ');
    expect(message).toContain('which is not a list');
    expect(extra).toEqual({ variable: 'x', line: 2 });
  });

  it('within other blocks reads outer contexts, loops and block parameters', () => {
    const data = {
      sign: '€',
      groups: [
        { name: 'A', items: [1, 2] },
        { name: 'B', items: [3] },
      ],
    };
    expect(
      expanded(
        '{{#each groups}}{{#each items}}{{@../index}}{{../name}}{{this}}{{../../sign}}{{@root.sign}} {{/each}}{{/each}}',
        data,
      ),
    ).toBe('0A1€€ 0A2€€ 1B3€€ ');
    expect(
      expanded(
        '{{#each groups as |group at|}}{{#each items as |item|}}{{at}}{{group.name}}{{item}} {{/each}}{{/each}}',
        data,
      ),
    ).toBe('0A1 0A2 1B3 ');
    expect(expanded('{{#with groups.[0] as |g|}}{{name}}{{g.name}}{{/with}}', data)).toBe('AA');
  });

  it('with a block parameter of the same name keeps the context in this', () => {
    expect(
      expanded('{{#each items as |name|}}{{this.name}}{{./name}}{{name.name}}{{/each}}', { items: [{ name: 'x' }] }),
    ).toBe('xxx');
  });

  it('with an absent context expands its else part', () => {
    expect(expanded('{{#with x}}{{y}}{{else}}none{{/with}}', {})).toBe('none');
  });
});

describe('a missing variable', () => {
  it.each([
    ['{{total}}', 'total'],
    ['{{{total}}}', 'total'],
    ['{{customer.name}}', 'customer.name'],
    ['{{nobody.name}}', 'nobody.name'],
    ['{{formatDate due "DD/MM/YYYY"}}', 'due'],
    ['{{formatCurrency 5 code}}', 'code'],
    ['{{#if (uppercase note)}}{{/if}}', 'note'],
    ['{{truncate (lowercase note) 5}}', 'note'],
    ['{{lookup customer "name"}}', 'lookup customer "name"'],
    ['{{uppercase (lookup prices "gold")}}', 'lookup prices "gold"'],
    ['{{@index}}', '@index'],
    ['{{../x}}', '../x'],
  ])('%s is reported with its name in the template', (content, name) => {
    expect(expansionError(`<p>\n${content}`, { customer: {} })).toMatchObject({
      name: 'template_render_error',
      extra: { missing_variable: name, line: 2 },
    });
  });

  it('in a loop is reported with the item that lacks it', () => {
    const data = { orders: [{ lines: [{ price: 1 }] }, { lines: [{ price: 1 }, {}] }] };
    const error = expansionError('{{#each orders}}{{#each this.lines}}\n{{this.price}}{{/each}}{{/each}}', data);
    expect(error.extra).toEqual({
      missing_variable: 'this.price',
      missing_variables: ['orders[1].lines[1].price'],
      line: 2,
    });
    expect(error.message).toContain('orders[1].lines[1].price');
    expect(expansionError('{{#each orders as |order|}}{{order.id}}{{/each}}', data).message).toContain('orders[0].id');
  });

  it('in a with block or an iteration over an object is reported with its full path', () => {
    expect(
      expansionError('{{#with a.b}}{{#each c}}{{d}}{{/each}}{{/with}}', { a: { b: { c: { first: {} } } } }).message,
    ).toContain('a.b.c.first.d');
  });

  it('is false or empty in a condition, a loop or a with', () => {
    expect(
      expanded(
        '{{#if a.b}}x{{/if}}{{#unless a}}-{{/unless}}{{#each a}}x{{/each}}{{#with a}}x{{/with}}{{#if (lookup a "b")}}x{{/if}}',
        {},
      ),
    ).toBe('-');
  });

  it('with a very long path is reported with a shortened path', () => {
    const error = expansionError(`{{${'a'.repeat(10_000)}}}`);
    expect(error.extra['missing_variable']).toHaveLength(500);
    expect(error.message.length).toBeLessThan(300);
  });

  it('is not reported for null', () => {
    expect(expanded('[{{x}}{{uppercase x}}{{formatDate x "DD"}}{{formatCurrency x "EUR"}}]', { x: null })).toBe('[]');
  });

  it('is reported on its own line in any template', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('', 'text', '{{a}}', '{{#if a}}b{{/if}}', '{{!-- a comment --}}')),
        fc.constantFrom('\n', '\r\n'),
        (before, newline) => {
          const content = [...before, '{{gone}}', 'more'].join(newline);
          expect(expansionError(content, { a: 1 }).extra).toEqual({
            missing_variable: 'gone',
            missing_variables: ['gone'],
            line: before.length + 1,
          });
        },
      ),
    );
  });
});

describe('a compiled template', () => {
  it('is cached by its hash and expands different data to different documents', () => {
    expect(expanded('Dear {{name}}', { name: 'Ada' })).toBe('Dear Ada');
    expect(expanded('Dear {{name}}', { name: 'Alan' })).toBe('Dear Alan');
  });

  it('with an error fails every time', () => {
    for (const _ of [1, 2])
      expect(expansionError('{{#if x}}')).toMatchObject({ name: 'invalid_template_syntax', extra: { line: 1 } });
  });

  it('is only made from text', () => {
    const tree = {
      type: 'Program',
      body: [{ type: 'MustacheStatement', path: { type: 'NumberLiteral', value: 'process.exit(1)' } }],
    };
    expect(expansionError(tree as unknown as string).name).toBe('invalid_template_syntax');
  });
});
