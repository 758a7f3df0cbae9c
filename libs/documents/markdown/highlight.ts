import hljs from 'highlight.js/lib/common';

const longestHighlighted = 200_000;

/** The HTML of highlighted code, or an empty string, which stands for plain, where the language is not known or the code very long. */
export const highlight = (code: string, language: string): string =>
  language !== '' && code.length <= longestHighlighted && hljs.getLanguage(language) ? hljs.highlight(code, { language, ignoreIllegals: true }).value : '';
