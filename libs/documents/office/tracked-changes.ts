import type { Parts } from './archive.ts';
import { localNameOf, valuesOf } from './edit-tags.ts';
import { replaceElements } from './tags.ts';
import { encodeXml, readXml } from './xml-encoding.ts';

// LibreOffice prints tracked changes as it shows them. Where the settings of the document hide them, it prints the
// document as if all were accepted, also if the changes are protected with a password.

const settingsRelationship = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/settings';
const wordNamespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const settingsType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml';

/** Office programs that store documents on servers number these parts. */
const wordSettings = /^word\/settings\d*\.xml$/i;
const wordText = /^word\/[^/]+\.xml$/i;
const wordRelationships = /^word\/_rels\/document\d*\.xml\.rels$/i;
const wordChanges = /<(?:[^\s<>"'=/:]+:)?(?:ins|del|moveFrom|moveTo|cellIns|cellDel|\w+Change)[\s>]/;
const odfChanges = /<(?:[^\s<>"'=/:]+:)?tracked-changes[\s>]/;

const root = /<([^\s<>!?/"'=]*settings)(?![^\s<>!?/"'=])((?:"[^"]*"|'[^']*'|[^<>"'])*?)(\/?)>/;
const view = /<(?:[^\s<>"'=/:]+:)?revisionView\b[^<>]*>/g;

const hideInWord = (settings: string): string =>
  settings.replace(view, '').replace(root, (_, name: string, attributes: string, slash: string) => {
    const prefix = name.slice(0, -localNameOf(name).length);
    const hidden = `<${prefix}revisionView ${prefix || 'w:'}markup="0"/>`;
    return `<${name}${attributes}>${hidden}${slash && `</${name}>`}`;
  });

/** The parts that a Word document without settings needs to have some. */
const addedSettings = (parts: Parts): [path: string, xml: string][] => {
  const types = '[Content_Types].xml';
  const inserted = (path: string, end: string, element: string): [string, string][] => {
    const xml = parts.has(path) ? readXml(parts.get(path)!) : null;
    return xml === null ? [] : [[path, xml.replace(end, `${element}${end}`)]];
  };
  return [
    ['word/settings.xml', hideInWord(`<w:settings xmlns:w="${wordNamespace}"/>`)],
    ...inserted(types, '</Types>', `<Override PartName="/word/settings.xml" ContentType="${settingsType}"/>`),
    ...[...parts.keys()]
      .filter((path) => wordRelationships.test(path))
      .flatMap((path) =>
        inserted(
          path,
          '</Relationships>',
          `<Relationship Id="addedSettings" Type="${settingsRelationship}" Target="settings.xml"/>`,
        ),
      ),
  ];
};

const odfItem = '<config:config-item config:name="ShowRedlineChanges" config:type="boolean">false</config:config-item>';
const odfItems = /<config:config-item\s[^<>]*>/g;
const odfItemEnd = '</config:config-item>';
const odfSets = /<config:config-item-set\s[^<>]*>/g;
const odfSetEnd = '</config:config-item-set>';
const odfSettings =
  '<office:document-settings xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.2" ' +
  'xmlns:config="urn:oasis:names:tc:opendocument:xmlns:config:1.0" xmlns:ooo="http://openoffice.org/2004/office">' +
  `<office:settings><config:config-item-set config:name="ooo:view-settings">${odfItem}${odfSetEnd}` +
  '</office:settings></office:document-settings>';

/** Whether the start tag of an element has one of these names. */
const isNamed = (element: string, names: readonly string[]): boolean =>
  valuesOf(element.slice(0, element.indexOf('>')), 'name').some((name) => names.includes(name));

const hideInOdf = (settings: string): string => {
  const others = replaceElements(settings, odfItems, odfItemEnd, (item) =>
    isNamed(item, ['ShowRedlineChanges']) ? '' : item,
  );
  const hidden = replaceElements(others, odfSets, odfSetEnd, (set) =>
    isNamed(set, ['ooo:view-settings', 'view-settings']) ? set.replace(odfSetEnd, `${odfItem}${odfSetEnd}`) : set,
  );
  return hidden.includes(odfItem) ? hidden : odfSettings;
};

/** Whether a part that matches `path` has changes. */
const hasChanges = (parts: Parts, path: RegExp, changes: RegExp): boolean =>
  [...parts].some(([name, content]) => path.test(name) && changes.test(readXml(content) ?? ''));

/** The parts of a document, with settings that hide its tracked changes. */
export const withChangesAccepted = (parts: Parts, family: 'ooxml' | 'odf'): Parts => {
  const edited = (changed: [string, string][]): Parts =>
    new Map([...parts, ...changed.map(([path, xml]): [string, Uint8Array] => [path, encodeXml(xml)])]);
  if (family === 'odf') {
    if (!hasChanges(parts, /^(?:content|styles)\.xml$/, odfChanges)) return parts;
    return edited([['settings.xml', hideInOdf(readXml(parts.get('settings.xml') ?? new Uint8Array()) ?? '')]]);
  }
  if (!hasChanges(parts, wordText, wordChanges)) return parts;
  const settings = [...parts].filter(([path]) => wordSettings.test(path));
  if (settings.length === 0) return edited(addedSettings(parts));
  return edited(settings.map(([path, content]) => [path, hideInWord(readXml(content) ?? '')]));
};
