import { readFileSync } from 'node:fs';
import markdownIt from 'markdown-it';

/** A fenced block of a guide. `file` is the name that its text is saved under; `reason` says why it cannot be run. */
export type Snippet = {
  language: string;
  file: string | null;
  text: string;
  line: number;
  reason: string | null;
};

const parser = markdownIt({ html: true });

/** The fenced blocks of a Markdown text. A comment `<!-- not run: reason -->` before a block excludes it. */
export const snippetsOf = (markdown: string): Snippet[] => {
  const tokens = parser.parse(markdown, {});
  return tokens.flatMap((token, index) => {
    if (token.type !== 'fence') return [];
    const before = tokens[index - 1];
    const comment = before?.type === 'html_block' ? /<!-- not run: (.+?) -->/.exec(before.content)?.[1] : undefined;
    return {
      language: token.info.split(' ')[0] ?? '',
      file: /title="([^"]+)"/.exec(token.info)?.[1] ?? null,
      text: token.content,
      line: (token.map?.[0] ?? 0) + 1,
      reason: comment ?? null,
    };
  });
};

export const readSnippets = (path: string): Snippet[] => snippetsOf(readFileSync(path, 'utf8'));
