import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expansionError, expanded } from './testing/expand-template.ts';

describe('a placeholder', () => {
  it('gives the value of its name, its path, its index', () => {
    expect(
      expanded('{{name}} {{customer.city}} {{items.[1]}} {{items.length}}', {
        name: 'Ada',
        customer: { city: 'Wien' },
        items: ['a', 'b'],
      }),
    ).toBe('Ada Wien b 2');
  });

  it('gives numbers, truth values and lists as text, and null as nothing', () => {
    expect(expanded('{{a}}|{{b}}|{{c}}|{{d}}|{{e}}', { a: 0, b: false, c: ['x', null, 2], d: null, e: '' })).toBe(
      '0|false|x,,2||',
    );
  });

  it('is escaped within double braces and left alone within triple braces', () => {
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
  ])('of an object is refused rather than shown as [object Object]: %s', (content, what) => {
    const fault = expansionError(content, { customer: { city: 'Wien' }, list: [{ a: 1 }] });
    expect(fault).toMatchObject({ name: 'template_render_error', extra: { line: 1 } });
    expect(fault.message).toContain(what);
  });

  it("with a helper's name is reached through this", () => {
    expect(expanded('{{this.json}}', { json: 'a value' })).toBe('a value');
  });
});

describe('blocks', () => {
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
  ])('if takes %j for %s', (x, answer) => {
    expect(expanded('{{#if x}}yes{{else}}no{{/if}}', { x })).toBe(answer);
    expect(expanded('{{#unless x}}no{{else}}yes{{/unless}}', { x })).toBe(answer);
  });

  it('if may count zero as true', () => {
    expect(expanded('{{#if x includeZero=true}}yes{{else}}no{{/if}}', { x: 0 })).toBe('yes');
  });

  it('else if goes on to the next condition', () => {
    expect(expanded('{{#if a}}a{{else if b}}b{{else}}c{{/if}}', { b: true })).toBe('b');
  });

  it('each goes over lists and objects, and knows where it is', () => {
    const template = '{{#each x}}{{@index}}/{{@key}}={{this}}{{#unless @last}},{{/unless}}{{/each}}';
    expect(expanded(template, { x: ['a', 'b'] })).toBe('0/0=a,1/1=b');
    expect(expanded(template, { x: { p: 1, q: 2 } })).toBe('0/p=1,1/q=2');
  });

  it.each([[undefined], [null], [[]], [{}], ['text'], [5]])('each over %j is empty', (x) => {
    expect(expanded('{{#each x}}item{{else}}none{{/each}}', { x })).toBe('none');
  });

  it('an inner block reaches outer contexts, loops and given names', () => {
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

  it('this means the context, even where a block has given the same name', () => {
    expect(
      expanded('{{#each items as |name|}}{{this.name}}{{./name}}{{name.name}}{{/each}}', { items: [{ name: 'x' }] }),
    ).toBe('xxx');
  });

  it('with is empty over what is absent', () => {
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
  ])('%s is named as the template writes it', (content, name) => {
    expect(expansionError(`<p>\n${content}`, { customer: {} })).toMatchObject({
      name: 'template_render_error',
      extra: { missing_variable: name, line: 2 },
    });
  });

  it('within loops is told with the item that lacks it', () => {
    const data = { orders: [{ lines: [{ price: 1 }] }, { lines: [{ price: 1 }, {}] }] };
    const fault = expansionError('{{#each orders}}{{#each this.lines}}\n{{this.price}}{{/each}}{{/each}}', data);
    expect(fault.extra).toEqual({ missing_variable: 'this.price', line: 2 });
    expect(fault.message).toContain('orders[1].lines[1].price');
    expect(expansionError('{{#each orders as |order|}}{{order.id}}{{/each}}', data).message).toContain('orders[0].id');
  });

  it('within a with block, or an object gone over, is told with its whole path', () => {
    expect(
      expansionError('{{#with a.b}}{{#each c}}{{d}}{{/each}}{{/with}}', { a: { b: { c: { first: {} } } } }).message,
    ).toContain('a.b.c.first.d');
  });

  it('that only a condition, a loop or a with asks for is false or empty', () => {
    expect(
      expanded(
        '{{#if a.b}}x{{/if}}{{#unless a}}-{{/unless}}{{#each a}}x{{/each}}{{#with a}}x{{/with}}{{#if (lookup a "b")}}x{{/if}}',
        {},
      ),
    ).toBe('-');
  });

  it('is told cut short where its path is very long', () => {
    const fault = expansionError(`{{${'a'.repeat(10_000)}}}`);
    expect(fault.extra['missing_variable']).toHaveLength(500);
    expect(fault.message.length).toBeLessThan(300);
  });

  it('is not one that is null', () => {
    expect(expanded('[{{x}}{{uppercase x}}{{formatDate x "DD"}}{{formatCurrency x "EUR"}}]', { x: null })).toBe('[]');
  });

  it('is found on its own line wherever that is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('', 'text', '{{a}}', '{{#if a}}b{{/if}}', '{{!-- a comment --}}')),
        fc.constantFrom('\n', '\r\n'),
        (before, newline) => {
          const content = [...before, '{{gone}}', 'more'].join(newline);
          expect(expansionError(content, { a: 1 }).extra).toEqual({
            missing_variable: 'gone',
            line: before.length + 1,
          });
        },
      ),
    );
  });
});

describe('a compiled template', () => {
  it('is kept under its hash, and gives each data its own document', () => {
    expect(expanded('Dear {{name}}', { name: 'Ada' })).toBe('Dear Ada');
    expect(expanded('Dear {{name}}', { name: 'Alan' })).toBe('Dear Alan');
  });

  it('that is wrong fails each time', () => {
    for (const _ of [1, 2])
      expect(expansionError('{{#if x}}')).toMatchObject({ name: 'invalid_template_syntax', extra: { line: 1 } });
  });

  it('is never made from anything but text', () => {
    const tree = {
      type: 'Program',
      body: [{ type: 'MustacheStatement', path: { type: 'NumberLiteral', value: 'process.exit(1)' } }],
    };
    expect(expansionError(tree as unknown as string).name).toBe('invalid_template_syntax');
  });
});
