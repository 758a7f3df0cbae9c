import MarkdownIt, { type Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { headingId, directions, footnotes, highlight, limitNesting, taskLists } from './plugins.ts';

/**
 * CommonMark with tables, strike-through, footnotes, task lists, heading anchors and highlighted code. HTML is passed
 * through.
 */
export const markdownParser = new MarkdownIt({ html: true, linkify: true, typographer: false, highlight });
markdownParser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdownParser.use(limitNesting);
markdownParser.use(footnotes);
markdownParser.use(taskLists);
markdownParser.use(directions);
// The plug-in's types are for an earlier version of markdown-it.
markdownParser.use(anchor as unknown as (parser: typeof markdownParser, options: object) => void, {
  slugifyWithState: (heading: string, { env }: { env: object }) => headingId(heading, env),
  tabIndex: false,
});

const validateStandardLink = markdownParser.validateLink.bind(markdownParser);
// An SVG image runs no scripts and fetches nothing.
markdownParser.validateLink = (url) => validateStandardLink(url) || /^data:image\/svg\+xml[;,]/i.test(url.trim());

export const titleOf = (tokens: readonly Token[]): string | undefined => {
  const heading = tokens.findIndex(({ type }) => type === 'heading_open');
  const children = heading < 0 ? undefined : tokens[heading + 1]?.children;
  return (
    children
      ?.map(({ content }) => content)
      .join('')
      .trim() || undefined
  );
};
