import { describe, expect, it } from 'vitest';
import { renderOptionFields } from './render-options.ts';
import {
  createTemplateRequest,
  createTemplateRequestFor,
  defaultOptions,
  testTemplateRequest,
  updateTemplateRequest,
} from './templates.ts';

const template = { name: 'Invoice', content: '<p>{{total}}</p>' };
const variables = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `v${at}`, type: 'string' }));
const pathsOf = (body: unknown) =>
  createTemplateRequest.safeParse(body).error?.issues.map(({ path }) => path.join('.'));

describe('The body of a new template', () => {
  it('needs only a name and content', () => {
    expect(createTemplateRequest.parse(template)).toEqual({
      ...template,
      category: 'other',
      variables: [],
      default_options: {},
      labels: {},
      sample_data: {},
    });
  });

  it('has its name trimmed and normalised, so that equal names are equal strings', () => {
    expect(createTemplateRequest.parse({ ...template, name: '  Cafe\u0301 ' }).name).toBe('Caf\u00e9');
  });

  it.each([
    ['name', { ...template, name: '   ' }],
    ['name', { ...template, name: 'two\nlines' }],
    ['name', { ...template, name: 'half a pair \ud83d' }],
    ['content', { ...template, content: { type: 'Program', body: [] } }],
    ['category', { ...template, category: 'poem' }],
    ['variables.0.type', { ...template, variables: [{ name: 'a', type: 'money' }] }],
    [
      'variables.1.name',
      {
        ...template,
        variables: [
          { name: 'a', type: 'string' },
          { name: 'a ', type: 'date' },
        ],
      },
    ],
    ['variables', { ...template, variables: variables(51) }],
    ['default_options', { ...template, default_options: { paper: 'A4' } }],
    ['default_options.page_size', { ...template, default_options: { page_size: 'B11' } }],
    ['default_options.locale', { ...template, default_options: { locale: 'no such tag' } }],
    ['default_options.time_zone', { ...template, default_options: { time_zone: 'Mars/Olympus' } }],
    ['', { ...template, colour: 'red' }],
  ])('is rejected for an invalid value at "%s"', (path, body) => {
    expect(pathsOf(body)).toEqual([path]);
  });

  it('may declare 50 variables, or any number if the plan has no limit', () => {
    expect(pathsOf({ ...template, variables: variables(50) })).toBeUndefined();
    expect(createTemplateRequestFor(null).parse({ ...template, variables: variables(500) }).variables).toHaveLength(
      500,
    );
  });
});

describe('Default options', () => {
  it('accept every render option and set no default', () => {
    const { width: _width, height: _height, ...fields } = renderOptionFields;
    const defaults = Object.entries(fields).map(([name, field]) => [name, field.parse(undefined)]);
    const every = { ...Object.fromEntries(defaults), page_ranges: '1-3' };
    expect(defaultOptions.parse(every)).toEqual(every);
    const size = { width: '10cm', height: 200 };
    expect(defaultOptions.parse(size)).toEqual(size);
    expect(defaultOptions.parse({})).toEqual({});
    expect(testTemplateRequest.parse({ data: {}, page_size: 'Letter' })).toEqual({ data: {}, page_size: 'Letter' });
  });
});

describe('The body of an update', () => {
  it('has only the fields that the caller sent', () => {
    expect(updateTemplateRequest.parse({ changes: 'New logo' })).toEqual({ changes: 'New logo' });
  });
});

it('A name that is much too long is rejected before it is normalised, which would take minutes', () => {
  const nameOf = (name: string) => createTemplateRequest.safeParse({ name, content: 'x' });
  const { error } = nameOf(`a${'\u0301'.repeat(100_000)}${'\u0316'.repeat(100_000)}`);
  expect(error?.issues).toMatchObject([{ code: 'too_big', path: ['name'], maximum: 200 }]);
});
