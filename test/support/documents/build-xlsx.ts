import { relationship, relationshipsPart, zip } from './build-docx.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const contentType = (name: string, type: string): string =>
  `<Override PartName="/xl/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`;
const content = (cell: string): string =>
  cell.startsWith('=') ? `<c><f>${cell.slice(1)}</f></c>` : `<c t="inlineStr"><is><t>${cell}</t></is></c>`;

const worksheet = (rows: string[][], setup: string): string =>
  `${declaration}<worksheet xmlns="${main}"><sheetData>` +
  `${rows.map((row) => `<row>${row.map(content).join('')}</row>`).join('')}</sheetData>${setup}</worksheet>`;

/** A workbook with one sheet of texts, and of formulas, which begin with `=`, and a hidden sheet with the text `hidden`. */
export const buildXlsx = (rows: string[][], setup = ''): Buffer =>
  zip({
    '[Content_Types].xml':
      `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `${contentType('workbook', 'sheet.main')}${contentType('worksheets/sheet1', 'worksheet')}` +
      `${contentType('worksheets/sheet2', 'worksheet')}</Types>`,
    '_rels/.rels': relationshipsPart([relationship('rId1', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml':
      `${declaration}<workbook xmlns="${main}" xmlns:r="${relationships}">` +
      '<sheets><sheet name="One" sheetId="1" r:id="rId1"/><sheet name="Two" sheetId="2" state="hidden" r:id="rId2"/>' +
      '</sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationshipsPart([
      relationship('rId1', 'worksheet', 'worksheets/sheet1.xml'),
      relationship('rId2', 'worksheet', 'worksheets/sheet2.xml'),
    ]),
    'xl/worksheets/sheet1.xml': worksheet(rows, setup),
    'xl/worksheets/sheet2.xml': worksheet([['hidden']], ''),
  });
