import { type Sheet, styleOf } from './style/sheets.ts';
import { escapeHtml } from './text/escape.ts';

/** A complete document around converted content. `body` is HTML, `title` plain text; `dir="auto"` lets right-to-left documents run their way. */
export const page = ({ title, language, sheets, body }: { title: string; language: string; sheets: readonly Sheet[]; body: string }): string => `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>
${styleOf(sheets)}
</style>
</head>
<body>
<main dir="auto">
${body}
</main>
</body>
</html>
`;
