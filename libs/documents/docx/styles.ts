/** The HTML for Word's styles, in addition to the converter's map for headings and lists. */
export const styleMap = [
  "p[style-name='Title'] => h1.title:fresh",
  "p[style-name='Subtitle'] => p.subtitle:fresh",
  "p[style-name='Quote'] => blockquote > p:fresh",
  "p[style-name='Intense Quote'] => blockquote > p:fresh",
  "p[style-name='Block Text'] => blockquote > p:fresh",
  "p[style-name='caption'] => p.caption:fresh",
  "p[style-name='Caption'] => p.caption:fresh",
  "p[style-name='Code'] => pre:separator('\n')",
  "p[style-name='Source Code'] => pre:separator('\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\n')",
  "p[style-name='Preformatted Text'] => pre:separator('\n')",
  "p[style-name^='toc '] => p.contents:fresh",
  "p[style-name^='TOC '] => p.contents:fresh",
  "p[style-name='Aligned centre'] => p.centre:fresh",
  "p[style-name='Aligned end'] => p.end:fresh",
  "p[style-name='Aligned justify'] => p.justify:fresh",
  "r[style-name='Emphasis'] => em",
  "r[style-name='Verbatim Char'] => code",
  "r[style-name='HTML Code'] => code",
  "r[style-name='Tab stop'] => span.tab",
  "br[type='page'] => hr.page-break:fresh",
  'u => u',
  'strike => s',
  'highlight => mark',
];

const tabStyle = 'Tab stop';

/** The style names in the map above for a paragraph's alignment. */
const alignedStyles: Partial<Record<string, string>> = {
  center: 'Aligned centre',
  right: 'Aligned end',
  end: 'Aligned end',
  both: 'Aligned justify',
};

type DocxElement = {
  type: string;
  children?: DocxElement[];
  styleName?: string | null;
  alignment?: string | null;
  highlight?: string | null;
  numbering?: unknown;
  isBold?: boolean;
  isHeader?: boolean;
  value?: string;
};

const plainStyles = new Set([
  '',
  'normal',
  'body text',
  'standard',
  'table contents',
  'table paragraph',
  'no spacing',
  'list paragraph',
]);

/** Adds styles for what the converter ignores: alignment, tab stops, and header rows that are only bold. */
export const adaptElement = (element: DocxElement): DocxElement => {
  const children = element.children?.map(adaptElement);
  const adapted: DocxElement = children ? { ...element, children } : element;
  if (adapted.type === 'tab') return { type: 'run', styleName: tabStyle, highlight: null, children: [adapted] };
  if (adapted.type === 'paragraph') return alignParagraph(adapted);
  return adapted.type === 'table' ? withHeader(adapted) : adapted;
};

const alignParagraph = (paragraph: DocxElement): DocxElement => {
  const style = alignedStyles[paragraph.alignment ?? ''];
  const isPlain = !paragraph.numbering && plainStyles.has((paragraph.styleName ?? '').toLowerCase());
  return style && isPlain ? { ...paragraph, styleName: style } : paragraph;
};

const withHeader = (table: DocxElement): DocxElement => {
  const [first, ...rest] = table.children ?? [];
  if (!first || rest.length === 0 || rest.some(({ isHeader }) => isHeader) || first.isHeader || !isBold(first))
    return table;
  return { ...table, children: [{ ...first, isHeader: true }, ...rest] };
};

const isBold = (row: DocxElement): boolean => {
  const runs = runsOf(row).filter(hasText);
  return runs.length > 0 && runs.every((run) => run.isBold);
};

const runsOf = (element: DocxElement): DocxElement[] =>
  element.type === 'run' ? [element] : (element.children ?? []).flatMap(runsOf);

const hasText = (element: DocxElement): boolean =>
  (element.type === 'text' && !!element.value?.trim()) || (element.children ?? []).some(hasText);
