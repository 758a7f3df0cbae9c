import { readFileSync } from 'node:fs';
import type { DocumentMetadata } from '#contracts/http/pdf-metadata.ts';
import { escapeMarkup } from '#libs/markup/escape.ts';
import { directionOfHtml } from './language/direction.ts';

const readStyleSheet = (name: string): string =>
  readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8').trim();

/** The style sheets of converted documents. `base` is part of all of them. */
export type StyleSheetName = 'prose' | 'code' | 'math' | 'table' | 'tree' | 'word';

/** The styles that the formulas of Temml need, without the font for script letters, which they fetch. */
const temmlStyleSheet = readFileSync(new URL(import.meta.resolve('temml/dist/Temml-Local.css')), 'utf8')
  .replace(/\/\*[^]*?\*\//g, '')
  .replace(/@font-face\s*\{[^}]*\}/g, '')
  .replace(/\s+/g, ' ')
  .trim();

const baseStyleSheet = readStyleSheet('base');
const styleSheets: Record<StyleSheetName, string> = {
  prose: readStyleSheet('prose'),
  code: readStyleSheet('code'),
  math: `${temmlStyleSheet}\n${readStyleSheet('math')}`,
  table: readStyleSheet('table'),
  tree: readStyleSheet('tree'),
  word: readStyleSheet('word'),
};

const metaElements = ({ authors, subject, keywords, date }: DocumentMetadata & { date?: string }): string => {
  const entries: [name: string, content: string | undefined][] = [
    ...authors.map((author): [string, string] => ['author', author]),
    ['description', subject],
    ['keywords', keywords.join(', ')],
    ['date', date],
  ];
  return entries
    .map(([name, content]) => (content ? `<meta name="${name}" content="${escapeMarkup(content)}">\n` : ''))
    .join('');
};

/** A complete document around converted content, in the direction of its text. `body` is HTML, `title` is plain text. */
export const htmlDocument = ({
  title,
  metadata,
  language,
  styleSheets: used,
  body,
}: {
  title: string;
  metadata?: DocumentMetadata & { date?: string };
  language: string;
  styleSheets: readonly StyleSheetName[];
  body: string;
}): string => `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeMarkup(title)}</title>
${metadata ? metaElements(metadata) : ''}<style>
${[baseStyleSheet, ...used.map((sheet) => styleSheets[sheet])].join('\n')}
</style>
</head>
<body>
<main dir="${directionOfHtml(body) ?? 'ltr'}">
${body}
</main>
</body>
</html>
`;
