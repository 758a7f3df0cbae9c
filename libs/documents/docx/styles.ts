/** How Word's styles become HTML, before the converter's own map for headings and lists. */
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

export const tabStyle = 'Tab stop';

/** The name under which the map above finds a paragraph's alignment. */
export const alignedStyles: Partial<Record<string, string>> = {
  center: 'Aligned centre',
  right: 'Aligned end',
  end: 'Aligned end',
  both: 'Aligned justify',
};
