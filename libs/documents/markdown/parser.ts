import MarkdownIt, { type Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { anchorOf, directions, footnotes, highlight, nesting, taskLists } from './plugins.ts';

/**
 * CommonMark with tables, strike-through, footnotes, task lists, heading anchors and highlighted code; HTML passes
 * through.
 */
export const markdown = new MarkdownIt({ html: true, linkify: true, typographer: false, highlight });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.use(nesting);
markdown.use(footnotes);
markdown.use(taskLists);
markdown.use(directions);
// The plug-in's types are those of an earlier release of markdown-it.
markdown.use(anchor as unknown as (parser: typeof markdown, options: object) => void, {
  slugifyWithState: (heading: string, { env }: { env: object }) => anchorOf(heading, env),
  tabIndex: false,
});

const standard = markdown.validateLink.bind(markdown);
// An SVG as a picture runs nothing and fetches nothing.
markdown.validateLink = (address) => standard(address) || /^data:image\/svg\+xml[;,]/i.test(address.trim());

/** The first heading's text, if any. */
export const titleOf = (tokens: readonly Token[]): string | undefined => {
  const heading = tokens.findIndex(({ type }) => type === 'heading_open');
  const children = heading < 0 ? undefined : tokens[heading + 1]?.children;
  return children?.map(({ content }) => content).join('').trim() || undefined;
};
