import type { Parts } from './archive.ts';
import { isXmlPart } from './archive.ts';
import { withoutContentControls } from './content-controls.ts';
import { bookmarksOf, withStoredResults } from './fields.ts';
import { editTags, keepAttributes, valuesOf } from './edit-tags.ts';
import { giveRoomInNarrowCells } from './narrow-cells.ts';
import { fittedToWidth } from './sheets.ts';
import { externalNamesOf, withStoredValues } from './stored-values.ts';
import { replaceElements } from './tags.ts';
import { withChangesAccepted } from './tracked-changes.ts';
import { encodeXml, readXml } from './xml-encoding.ts';

const styles = /<w:style\s/g;
const headingName = /<w:name\s+w:val\s*=\s*["']heading ([1-9])["']\s*\/>/i;

/**
 * Gives the styles of headings their outline level, where the file does not: Word has it built in, LibreOffice does not,
 * and would make no bookmarks. `xml` is the styles of a Word document.
 */
export const withOutlineLevels = (xml: string): string =>
  replaceElements(xml, styles, '</w:style>', (style) => {
    const level = headingName.exec(style)?.[1];
    if (level === undefined || style.includes('<w:outlineLvl')) return style;
    const outlineLevel = `<w:outlineLvl w:val="${Number(level) - 1}"/>`;
    if (style.includes('</w:pPr>')) return style.replace('</w:pPr>', `${outlineLevel}</w:pPr>`);
    const end = style.search(/<w:(?:rPr|tblPr)[\s/>]|<\/w:style>/);
    return `${style.slice(0, end)}<w:pPr>${outlineLevel}</w:pPr>${style.slice(end)}`;
  });

/** Parts that run, or that are data of other programs. Charts and OLE objects are printed from their stored images. */
const removedParts = new RegExp(
  String.raw`(?:^|\/)(?:vbaProject\.bin|vbaData\.xml|vbaProjectSignature\w*\.bin|activeX\/.*|ctrlProps\/.*|` +
    String.raw`externalLinks\/.*|connections\.xml|queryTables\/.*|customUI\/.*)$`,
  'i',
);
const removedOdfParts =
  /^(?:Basic|Scripts|Dialogs|Configurations2|META-INF\/(?:documentsignatures|macrosignatures))(?:\/|\.)/i;

/** Links that a reader of the PDF may follow. */
const isPlainLink = (target: string): boolean => /^(?:https?:|mailto:|tel:|ftps?:|#)/i.test(target.trim());

/** The relationships whose parts are not read as OOXML. The parts of all others are cleaned, so they must be XML by name. */
const dataTypes =
  /\/(?:image|hdphoto|thumbnail|hyperlink|oleObject|package|control|font|video|audio|media|aFChunk|printerSettings)$/i;

/** Keeps the relationships to parts of the file, and links that a reader may follow. */
const cleanRelationship = (tag: string): string => {
  const [targets, types] = [valuesOf(tag, 'Target').map((target) => target.trim()), valuesOf(tag, 'Type')];
  const isExternal =
    valuesOf(tag, 'TargetMode').some((mode) => mode.trim().toLowerCase() === 'external') ||
    targets.some((target) => /^(?:[a-z][a-z\d+.-]*:|\\|\/\/)/i.test(target));
  if (targets.some((target) => removedParts.test(target.replaceAll('\\', '/')))) return '';
  if (!isExternal)
    return (types.length > 0 && types.every((type) => dataTypes.test(type))) || targets.every(isXmlPart) ? tag : '';
  return types.every((type) => /\/hyperlink$/i.test(type)) && targets.every(isPlainLink) ? tag : '';
};

/** Comments are not printed, and the warm LibreOffice cannot load them. */
const comments = /<(?:[^\s<>"'=/:]+:)?comment(?:RangeStart|RangeEnd|Reference)\b[^<>]*\/>/g;
const odfComments = /<office:annotation\b(?!-)[^<>]*>/g;
const odfCommentEnds = /<office:annotation-end\b[^<>]*\/>/g;

/** The attributes of OOXML elements that name an image, template or document outside of the file. */
const linksOfOoxml: ReadonlyMap<string, readonly string[]> = new Map([
  ['blip', ['link']],
  ['imagedata', ['href', 'src']],
  ['attachedTemplate', ['id']],
  ['subDoc', ['id']],
]);

const cleanOoxml = (xml: string, bookmarks: ReadonlySet<string>): string => {
  const cleaned = editTags(xml, (local, tag) => {
    const links = linksOfOoxml.get(local);
    return links ? keepAttributes(tag, (attribute) => !links.includes(attribute.local)) : tag;
  });
  return withStoredResults(cleaned, bookmarks).replace(comments, '');
};

/** Headers and footers of sheets without the folder of the file, which is one of the service (`&Z`). */
const withoutFolder = (sheet: string): string =>
  sheet.replace(/<(?:[\w-]+:)?(?:odd|even|first)(?:Header|Footer)\b[^<>]*>[^<>]*/g, (element) =>
    element.replace(/&(?:amp|#38|#x26);(&(?:amp|#38|#x26);|z)/gi, (code, next: string) =>
      /z/i.test(next) ? '' : code,
    ),
  );

/** What the cleaning of a part needs from other parts: names of other workbooks, bookmarks and styles of a Word document. */
type OtherParts = {
  externalNames: ReadonlySet<string>;
  bookmarks: ReadonlySet<string>;
  giveRoom: (xml: string) => string;
};

const cleanOoxmlPart = (path: string, xml: string, { externalNames, bookmarks, giveRoom }: OtherParts): string => {
  if (path.endsWith('.rels'))
    return editTags(xml, (local, tag) => (local === 'Relationship' ? cleanRelationship(tag) : tag));
  const cleaned = cleanOoxml(xml, bookmarks);
  if (/^xl\/worksheets\/[^/]+\.xml$/i.test(path))
    return fittedToWidth(withStoredValues(withoutFolder(cleaned), externalNames));
  if (/^word\/styles\.xml$/i.test(path)) return withOutlineLevels(cleaned);
  return /^word\/[^/]+\.xml$/i.test(path) ? giveRoom(withoutContentControls(cleaned)) : cleaned;
};

/** Elements of ODF that read or run something else by their attributes. */
const readingOdfElements = new Set([
  'section-source',
  'dde-source',
  'cell-range-source',
  'table-source',
  'event-listener',
]);

/** ODF: the `href` of everything but links of the text stays only if it names a part of the file. */
const cleanOdf = (xml: string): string =>
  editTags(xml, (local, tag) => {
    if (readingOdfElements.has(local)) return keepAttributes(tag, () => false);
    // The folder of the file is one of the service.
    if (local === 'file-name') return tag.replace(/(:display=["'])(?:full|path)(?=["'])/, '$1name-and-extension');
    return tag.includes('href')
      ? keepAttributes(tag, (attribute) => {
          if (attribute.local !== 'href') return true;
          const target = attribute.value.trim();
          if (local === 'a') return isPlainLink(target) || target === '';
          return !/^(?:[a-z][a-z\d+.-]*:|\/|\\|\.\.)/i.test(target);
        })
      : tag;
  });

const withoutOdfComments = (xml: string): string =>
  replaceElements(xml, odfComments, '</office:annotation>', () => '').replace(odfCommentEnds, '');

/**
 * Removes from the parts of a document what would run or read something outside of the file (LibreOffice is isolated
 * from both as well), and hides its comments and tracked changes.
 */
export const neutralise = (parts: Parts, family: 'ooxml' | 'odf'): Parts => {
  const removed = family === 'ooxml' ? removedParts : removedOdfParts;
  const wordStyles = readXml(parts.get('word/styles.xml') ?? new Uint8Array()) ?? '';
  const texts = [...parts].filter(([path]) => /^word\/[^/]+\.xml$/i.test(path));
  const others = {
    externalNames: externalNamesOf(parts),
    bookmarks: new Set(texts.flatMap(([, content]) => bookmarksOf(readXml(content) ?? ''))),
    giveRoom: giveRoomInNarrowCells(wordStyles),
  };
  const cleanedParts: Parts = new Map(
    [...parts].flatMap(([path, content]): [string, Uint8Array][] => {
      if (removed.test(path)) return [];
      if (!isXmlPart(path)) return [[path, content]];
      const xml = readXml(content);
      if (xml === null) return [];
      const cleaned = family === 'odf' ? withoutOdfComments(cleanOdf(xml)) : cleanOoxmlPart(path, xml, others);
      return [[path, cleaned === xml ? content : encodeXml(cleaned)]];
    }),
  );
  return withChangesAccepted(cleanedParts, family);
};
