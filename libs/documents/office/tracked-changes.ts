import type { Parts } from './archive.ts';
import { localNameOf, valuesOf } from './edit-tags.ts';
import { replaceElements } from './tags.ts';
import { encodeXml, readXml } from './xml-encoding.ts';

// LibreOffice prints tracked changes as it shows them. Where the settings of the document hide them, it prints the
// document as if all were accepted, also if the changes are protected with a password.

const relationshipsNamespace = 'http://schemas.openxmlformats.org/package/2006/relationships';
const settingsRelationship = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/settings';
const wordNamespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const settingsType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml';

/** Office programs that store documents on servers number these parts. */
const wordSettings = /^word\/settings\d*\.xml$/i;
const wordDocument = /^word\/document\d*\.xml$/i;
const wordRelationships = /^word\/_rels\/[^/]+\.rels$/i;
const wordText = /^word\/[^/]+\.xml$/i;
const wordChanges = /<(?:[^\s<>"'=/:]+:)?(?:ins|del|moveFrom|moveTo|cellIns|cellDel|\w+Change)[\s>]/;
const odfChanges = /<(?:[^\s<>"'=/:]+:)?tracked-changes[\s>]/;

const root = /<([^\s<>!?/"'=]+)(?![^\s<>!?/"'=])((?:"[^"]*"|'[^']*'|[^<>"'])*?)(\/?)>/;
const view = /<(?:[^\s<>"'=/:]+:)?revisionView\b[^<>]*>/g;

/** The XML with a first element in its root. `elementOf` takes the prefix of the root, with its colon. */
const withFirst = (xml: string, elementOf: (prefix: string) => string): string =>
  xml.replace(root, (_, name: string, attributes: string, slash: string) => {
    const prefix = name.slice(0, -localNameOf(name).length);
    return `<${name}${attributes}>${elementOf(prefix)}${slash && `</${name}>`}`;
  });

const hideInWord = (settings: string): string =>
  withFirst(settings.replace(view, ''), (prefix) => `<${prefix}revisionView ${prefix || 'w:'}markup="0"/>`);

const settingsPath = 'word/settings.xml';

/** The parts that a Word document needs to have settings: programs that write none may write no relationships either. */
const addedSettings = (parts: Parts): [path: string, xml: string][] => {
  const edited = (path: string, absent: string, edit: (xml: string) => string): [string, string] => {
    const part = parts.get(path);
    return [path, edit((part ? readXml(part) : null) ?? absent)];
  };
  const withType = (types: string): string =>
    types.includes(`"/${settingsPath}"`)
      ? types
      : withFirst(types, (prefix) => `<${prefix}Override PartName="/${settingsPath}" ContentType="${settingsType}"/>`);
  const withRelationship = (relationships: string): string =>
    withFirst(
      relationships,
      (prefix) => `<${prefix}Relationship Id="addedSettings" Type="${settingsRelationship}" Target="settings.xml"/>`,
    );
  return [
    edited(settingsPath, `<w:settings xmlns:w="${wordNamespace}"/>`, hideInWord),
    edited('[Content_Types].xml', '', withType),
    ...[...parts.keys()]
      .filter((path) => wordDocument.test(path))
      .map((path) =>
        edited(
          path.replace(/[^/]+$/, '_rels/$&.rels'),
          `<Relationships xmlns="${relationshipsNamespace}"/>`,
          withRelationship,
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

/** Whether a part that matches `path` has something that matches `pattern`. */
const contain = (parts: Parts, path: RegExp, pattern: RegExp): boolean =>
  [...parts].some(([name, content]) => path.test(name) && pattern.test(readXml(content) ?? ''));

/** The parts of a document, with settings that hide its tracked changes. */
export const withChangesAccepted = (parts: Parts, family: 'ooxml' | 'odf'): Parts => {
  const edited = (changed: [string, string][]): Parts =>
    new Map([...parts, ...changed.map(([path, xml]): [string, Uint8Array] => [path, encodeXml(xml)])]);
  if (family === 'odf') {
    if (!contain(parts, /^(?:content|styles)\.xml$/, odfChanges)) return parts;
    return edited([['settings.xml', hideInOdf(readXml(parts.get('settings.xml') ?? new Uint8Array()) ?? '')]]);
  }
  if (!contain(parts, wordText, wordChanges)) return parts;
  const settings = [...parts].filter(([path]) => wordSettings.test(path));
  const haveSettings = settings.length > 0 && contain(parts, wordRelationships, /\/settings["']/);
  if (!haveSettings) return edited(addedSettings(parts));
  return edited(settings.map(([path, content]) => [path, hideInWord(readXml(content) ?? '')]));
};
