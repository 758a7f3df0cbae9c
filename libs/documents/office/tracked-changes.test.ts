import { describe, expect, it } from 'vitest';
import { withChangesAccepted } from './tracked-changes.ts';

const edit = (files: Record<string, string>, family: 'ooxml' | 'odf'): Record<string, string> => {
  const parts = new Map(Object.entries(files).map(([path, xml]) => [path, Buffer.from(xml)]));
  return Object.fromEntries(
    [...withChangesAccepted(parts, family)].map(([path, content]) => [path, Buffer.from(content).toString()]),
  );
};
const changed = '<w:document><w:del w:id="1"><w:r/></w:del></w:document>';
const hidden = '<w:revisionView w:markup="0"/>';
const related = { 'word/_rels/document.xml.rels': '<Relationships><Relationship Type="a/settings"/></Relationships>' };

describe('Tracked changes of a Word document are hidden by its settings', () => {
  it.each([
    ['<w:settings xmlns:w="w"><w:zoom/></w:settings>', `<w:settings xmlns:w="w">${hidden}<w:zoom/></w:settings>`],
    ['<w:settings xmlns:w="w"/>', `<w:settings xmlns:w="w">${hidden}</w:settings>`],
    ['<w:settings><w:revisionView w:markup="1"/></w:settings>', `<w:settings>${hidden}</w:settings>`],
    ['<x:settings/>', '<x:settings><x:revisionView x:markup="0"/></x:settings>'],
  ])('such as %s', (settings, expected) => {
    const files = { ...related, 'word/document.xml': changed, 'word/settings2.xml': settings };
    expect(edit(files, 'ooxml')['word/settings2.xml']).toBe(expected);
  });

  const relationships = '<Relationships></Relationships>';
  it.each<[string, Record<string, string>]>([
    ['without settings', { '[Content_Types].xml': '<Types></Types>', 'word/_rels/document.xml.rels': relationships }],
    ['without relationships', { '[Content_Types].xml': '<Types></Types>' }],
    ['with an empty tag', { '[Content_Types].xml': '<Types/>', 'word/_rels/document.xml.rels': '<Relationships/>' }],
    ['whose settings are not related', { '[Content_Types].xml': '<Types/>', 'word/settings.xml': '<w:settings/>' }],
  ])('which are added to a document %s', (_, others) => {
    const files = edit({ ...others, 'word/document.xml': changed }, 'ooxml');
    expect(files['word/settings.xml']).toContain(hidden);
    expect(files['[Content_Types].xml']).toMatch(/^<Types><Override PartName="\/word\/settings.xml" .*\/><\/Types>$/);
    expect(files['word/_rels/document.xml.rels']).toMatch(
      /^<Relationships.*><Relationship .*Target="settings.xml"\/><\/Relationships>$/,
    );
  });

  it.each(['<w:ins w:id="1"/>', '<w:del>', '<w:moveFrom w:id="1">', '<w:rPrChange w:id="1">', '<w:cellDel w:id="1"/>'])(
    'for a change of the kind %s',
    (xml) => {
      const files = { 'word/header1.xml': xml, 'word/settings.xml': '<w:settings/>' };
      expect(edit(files, 'ooxml')['word/settings.xml']).toContain(hidden);
    },
  );

  it('and a document without changes stays as it is', () => {
    const files = { 'word/document.xml': '<w:insideH w:val="single"/>', 'word/settings.xml': '<w:settings/>' };
    expect(edit(files, 'ooxml')).toEqual(files);
  });
});

describe('Tracked changes of an OpenDocument text are hidden by its settings', () => {
  const content = '<text:tracked-changes text:track-changes="false">';
  const item = (value: boolean): string =>
    `<config:config-item config:name="ShowRedlineChanges" config:type="boolean">${value}</config:config-item>`;
  const set = (items: string): string =>
    `<config:config-item-set config:name="ooo:view-settings">${items}</config:config-item-set>`;

  const other = '<config:config-item config:name="A" config:type="short">1</config:config-item>';

  it.each([
    [set(item(true) + other), set(other + item(false))],
    [set(''), set(item(false))],
    [set(item(true).replace('"ShowRedlineChanges"', "'ShowRedlineChanges'")), set(item(false))],
    [
      set(other).replace('view', 'configuration') + set(other),
      set(other).replace('view', 'configuration') + set(other + item(false)),
    ],
  ])('such as %s', (settings, expected) => {
    expect(edit({ 'content.xml': content, 'settings.xml': settings }, 'odf')['settings.xml']).toBe(expected);
  });

  it('which are added where there are none', () => {
    expect(edit({ 'content.xml': content }, 'odf')['settings.xml']).toContain(set(item(false)));
    expect(edit({ 'content.xml': '<office:text/>' }, 'odf')).toEqual({ 'content.xml': '<office:text/>' });
  });
});
