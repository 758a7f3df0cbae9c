import { replaceElements } from './tags.ts';

const styles = /<w:style\s/g;
const headingName = /<w:name\s+w:val="heading ([1-9])"\s*\/>/i;

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
