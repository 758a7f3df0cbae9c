import { zipSync } from 'fflate';

type Files = Record<string, string | Uint8Array>;

const namespaces =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" ' +
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ' +
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ' +
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ' +
  'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const relationshipType = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';

export const relationship = (id: string, type: string, target: string, isExternal = false): string =>
  `<Relationship Id="${id}" Type="${relationshipType}${type}" Target="${target}"${isExternal ? ' TargetMode="External"' : ''}/>`;

export const part = (root: string, content: string): string =>
  `${declaration}<w:${root} ${namespaces}>${content}</w:${root}>`;
export const paragraph = (text: string, properties = '', runProperties = ''): string =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${run(text, runProperties)}</w:p>`;
export const run = (text: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
export const field = (instruction: string, result = ''): string =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${instruction} </w:instrText></w:r>` +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
export const section = (content = '', width = 11_906, height = 16_838): string =>
  `<w:sectPr>${content}<w:pgSz w:w="${width}" w:h="${height}"${width > height ? ' w:orient="landscape"' : ''}/>` +
  '<w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr>';

const zeroTime = new Date(1980, 0, 1);
export const zip = (files: Files): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(files).map(([path, content]) => [
          path,
          typeof content === 'string' ? Buffer.from(content) : content,
        ]),
      ),
      { level: 6, mtime: zeroTime },
    ),
  );

const defaults: Record<string, string> = {
  png: 'image/png',
  rels: 'application/vnd.openxmlformats-package.relationships+xml',
  xml: 'application/xml',
  bin: 'application/vnd.openxmlformats-officedocument.oleObject',
};
const wordTypes: Record<string, string> = {
  'word/document.xml': 'document.main',
  'word/styles.xml': 'styles',
  'word/numbering.xml': 'numbering',
  'word/settings.xml': 'settings',
  'word/footnotes.xml': 'footnotes',
  'word/comments.xml': 'comments',
};
const typeOf = (path: string): string | undefined =>
  wordTypes[path] ?? (/^word\/(header|footer)\d*\.xml$/.exec(path)?.[1] || undefined);

/** A Word document: the content of its body, relationships of the body, and further parts. */
export const buildDocx = (body: string, relationships: string[] = [], parts: Files = {}): Buffer => {
  const files: Files = {
    'word/document.xml': part('document', `<w:body>${body}${body.includes('<w:sectPr>') ? '' : section()}</w:body>`),
    ...parts,
  };
  const overrides = Object.keys(files).flatMap((path) => {
    const type = typeOf(path);
    return type
      ? `<Override PartName="/${path}" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${type}+xml"/>`
      : [];
  });
  return zip({
    '[Content_Types].xml':
      `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      `${Object.entries(defaults)
        .map(([extension, type]) => `<Default Extension="${extension}" ContentType="${type}"/>`)
        .join('')}${overrides.join('')}</Types>`,
    '_rels/.rels': relationshipsPart([relationship('rId1', 'officeDocument', 'word/document.xml')]),
    'word/_rels/document.xml.rels': relationshipsPart(relationships),
    ...files,
  });
};

export const relationshipsPart = (relationships: string[]): string =>
  `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
  `${relationships.join('')}</Relationships>`;
