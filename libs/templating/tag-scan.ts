import { type TemplateLimits, templateLimits } from './limits.ts';

export type OpenBlock = { offset: number; text: string };
/**
 * What can be told of a template without parsing it: the first bound it breaks, the blocks left open (outermost first),
 * the tag that never ends. `tags` are those read. Positions are offsets into the content.
 */
export type TagScan = {
  tags: number;
  limitExceeded?: { offset: number; message: string };
  openBlocks: OpenBlock[];
  unclosedTag?: number;
};

const tagStart = /\{\{(?:\{\{)?~?(!--|!|#|\^|\/|\s*else\b)?/g;
const commentEnd = /--~?\}\}/g;

const isEscaped = (content: string, at: number) => content[at - 1] === '\\' && content[at - 2] !== '\\';

const endOf = (content: string, kind: string | undefined, from: number): number => {
  if (kind !== '!--') return content.indexOf('}}', from);
  commentEnd.lastIndex = from;
  return commentEnd.exec(content)?.index ?? -1;
};

const parenthesesIn = (tag: string) => tag.split('(').length - 1;

type TagKind = 'comment' | 'open' | 'chain' | 'close' | 'plain';

const kindOf = (mark: string | undefined, inner: string): TagKind => {
  const bare = /^\s*~?$/.test(inner);
  switch (mark?.trim()) {
    case '!':
    case '!--':
      return 'comment';
    case '#':
      return 'open';
    case '/':
      return 'close';
    case '^':
      return bare ? 'plain' : 'open';
    case 'else':
      return bare ? 'plain' : 'chain';
    default:
      return 'plain';
  }
};

/**
 * Reads a template's tags in one linear pass, so that what would cost the parser time or memory beyond measure is
 * refused before it is parsed: the parser's work grows with the square of the depth.
 */
export const scanTags = (content: string, bounds: TemplateLimits = templateLimits): TagScan => {
  const blocks: (OpenBlock & { levels: number })[] = [];
  const sum = { tags: 0, characters: 0, depth: 0 };
  const found = (rest: Pick<TagScan, 'limitExceeded' | 'unclosedTag'>): TagScan => ({
    tags: sum.tags,
    openBlocks: blocks.map(({ offset, text }) => ({ offset, text })),
    ...rest,
  });

  tagStart.lastIndex = 0;
  for (let match = tagStart.exec(content); match !== null; match = tagStart.exec(content)) {
    const at = match.index;
    const excess = (message: string) => found({ limitExceeded: { offset: at, message } });

    if ((sum.tags += 1) > bounds.tags) return excess(`The template has more than ${bounds.tags} placeholders.`);
    if (isEscaped(content, at)) continue;
    const end = endOf(content, match[1], tagStart.lastIndex);
    if (end < 0) return found({ unclosedTag: at });
    const inner = content.slice(tagStart.lastIndex, end);
    tagStart.lastIndex = end;

    const kind = kindOf(match[1], inner);
    if (kind === 'comment') continue;
    if ((sum.characters += inner.length) > bounds.tagCharacters)
      return excess(`The placeholders of the template hold more than ${bounds.tagCharacters} characters in all.`);
    if (parenthesesIn(inner) > bounds.parentheses)
      return excess(`A placeholder holds more than ${bounds.parentheses} parentheses.`);

    const innermost = blocks.at(-1);
    if (kind === 'open') blocks.push({ offset: at, text: content.slice(at, end + 2), levels: 1 });
    if (kind === 'chain' && innermost) innermost.levels += 1;
    if (kind === 'open' || kind === 'chain') sum.depth += 1;
    if (kind === 'close') sum.depth -= blocks.pop()?.levels ?? 0;
    if (sum.depth > bounds.depth)
      return excess(`The blocks of the template are nested more than ${bounds.depth} deep.`);
  }
  return found({});
};

/** The line, from 1, that an offset into a text lies on. */
export const lineAt = (content: string, at: number): number => content.slice(0, at).split(/\r\n?|\n/).length;
