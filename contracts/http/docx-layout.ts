import { z } from 'zod';

/** How a Word document is laid out. */
export const docxLayout = z
  .enum(['faithful', 'semantic'])
  .default('faithful')
  .describe(
    'How a docx is laid out. faithful: as Word shows it, with its own pages, headers, footers, fonts and colours; ' +
      'LibreOffice lays it out. semantic: its headings, lists, tables, images and notes in the style of the service; ' +
      '`warnings` list what it leaves out. Where LibreOffice is not installed, the default is semantic with a warning.',
  );

/** Whether every sheet of a workbook is one page. */
export const onePagePerSheet = z
  .boolean()
  .default(false)
  .describe(
    'Prints every sheet of an xlsx on one page: on its own paper, or on larger paper if the sheet needs it. By default ' +
      'sheets have their own page setup.',
  );
