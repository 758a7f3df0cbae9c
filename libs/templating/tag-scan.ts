import { type TemplateLimits, templateLimits } from './limits.ts';

export type OpenBlock = { offset: number; text: string };
/**
 * What a scan finds without parsing: the first limit exceeded, the blocks left open (outermost first), and a tag that
 * never ends. `tags` is the number of tags read. Offsets are positions in the content.
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

type TagKind = 'comment' | 'open' | 'chain' | 'close' | 'plain';

const kindOf = (sign: string | undefined, inner: string): TagKind => {
  const isBare = /^\s*~?$/.test(inner);
  switch (sign?.trim()) {
    case '!':
    case '!--':
      return 'comment';
    case '#':
      return 'open';
    case '/':
      return 'close';
    case '^':
      return isBare ? 'plain' : 'open';
    case 'else':
      return isBare ? 'plain' : 'chain';
    default:
      return 'plain';
  }
};

/**
 * Scans the tags of a template in one linear pass. Limits are checked before parsing, because the parser's time grows
 * with the square of the depth.
 */
export const scanTags = (content: string, limits: TemplateLimits = templateLimits): TagScan => {
  const blocks: (OpenBlock & { levels: number })[] = [];
  const totals = { tags: 0, characters: 0, depth: 0 };
  const result = (rest: Pick<TagScan, 'limitExceeded' | 'unclosedTag'>): TagScan => ({
    tags: totals.tags,
    openBlocks: blocks.map(({ offset, text }) => ({ offset, text })),
    ...rest,
  });

  tagStart.lastIndex = 0;
  for (let match = tagStart.exec(content); match !== null; match = tagStart.exec(content)) {
    const at = match.index;
    const exceeded = (message: string) => result({ limitExceeded: { offset: at, message } });

    if ((totals.tags += 1) > limits.tags) return exceeded(`The template has more than ${limits.tags} placeholders.`);
    if (isEscaped(content, at)) continue;
    const end = endOf(content, match[1], tagStart.lastIndex);
    if (end < 0) return result({ unclosedTag: at });
    const inner = content.slice(tagStart.lastIndex, end);
    tagStart.lastIndex = end;

    const kind = kindOf(match[1], inner);
    if (kind === 'comment') continue;
    if ((totals.characters += inner.length) > limits.tagCharacters)
      return exceeded(`The placeholders of the template hold more than ${limits.tagCharacters} characters in all.`);
    if (inner.split('(').length - 1 > limits.parentheses)
      return exceeded(`A placeholder holds more than ${limits.parentheses} parentheses.`);

    const innermost = blocks.at(-1);
    if (kind === 'open') blocks.push({ offset: at, text: content.slice(at, end + 2), levels: 1 });
    if (kind === 'chain' && innermost) innermost.levels += 1;
    if (kind === 'open' || kind === 'chain') totals.depth += 1;
    if (kind === 'close') totals.depth -= blocks.pop()?.levels ?? 0;
    if (totals.depth > limits.depth)
      return exceeded(`The blocks of the template are nested more than ${limits.depth} deep.`);
  }
  return result({});
};

/** The line of an offset in a text, counted from 1. */
export const lineAt = (content: string, at: number): number => content.slice(0, at).split(/\r\n?|\n/).length;
