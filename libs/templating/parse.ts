import Handlebars from 'handlebars';
import type { Program } from './ast.ts';
import { type TemplateLimits, templateLimits } from './limits.ts';
import { truncateForMessage } from './messages.ts';
import { lineAt, type TagScan, scanTags } from './tag-scan.ts';

/** `line` counts from 1. */
export type TemplateSyntaxError = { message: string; line: number };

type ParserStop = { text: string; token: string | null; line: number };

/**
 * Where the parser stopped. Its own message names the line of the last good token, not of the bad one,
 * so the parse is repeated with an ear for the details.
 */
const findParserStop = (content: string): ParserStop | undefined => {
  const { Parser } = Handlebars as unknown as { Parser: { parse: (text: string) => unknown } };
  const heard: { stop?: ParserStop } = {};
  const listener = Object.create(Parser, {
    parseError: {
      value: (message: string, stop: ParserStop) => {
        heard.stop = stop;
        throw new Error(message);
      },
    },
  }) as typeof Parser;
  try {
    listener.parse(content);
  } catch {
    return heard.stop;
  }
  return undefined;
};

const describeParserStop = ({ text, token, line }: ParserStop): TemplateSyntaxError => {
  const at = line + 1;
  if (token === 'OPEN_ENDBLOCK')
    return { message: 'A closing tag {{/...}} stands here without a block that it could close.', line: at };
  if (token === 'INVERSE' || token === 'OPEN_INVERSE_CHAIN' || token === 'OPEN_INVERSE')
    return { message: 'An {{else}} stands here outside of a block, or a second time in one.', line: at };
  if (token === 'CLOSE') return { message: 'The placeholder ends too early.', line: at };
  return {
    message:
      text === '' ? 'The template ends too early.' : `Unexpected "${truncateForMessage(text)}" in a placeholder.`,
    line: at,
  };
};

const rewriteParserMessage = (message: string): string => {
  const [, opened, closed] = /^(.+) doesn't match (.+) - \d+:\d+$/s.exec(message) ?? [];
  return opened && closed
    ? `The block {{#${truncateForMessage(opened)}}} is closed by {{/${truncateForMessage(closed)}}}.`
    : truncateForMessage(message.replace(/ - \d+:\d+$/, ''));
};

/**
 * What is wrong with a template that Handlebars' parser refused with `error`, and on which line (from 1), in words for
 * its author.
 */
const describeSyntaxError = (content: string, outline: TagScan, error: unknown): TemplateSyntaxError => {
  const { lineNumber, message } = error as { lineNumber?: number; message?: string };
  if (lineNumber !== undefined) return { message: rewriteParserMessage(String(message)), line: lineNumber };
  if (outline.unclosedTag !== undefined)
    return {
      message: 'A placeholder or comment that begins here is never ended.',
      line: lineAt(content, outline.unclosedTag),
    };

  const stop = findParserStop(content);
  const innermost = outline.openBlocks.at(-1);
  const atEnd = stop?.token === 'EOF' || stop?.token === null || stop === undefined;
  if (atEnd && innermost)
    return {
      message: `The block ${truncateForMessage(innermost.text)} is never closed.`,
      line: lineAt(content, innermost.offset),
    };
  return stop ? describeParserStop(stop) : { message: 'The template cannot be read.', line: 1 };
};

/** `tags` is how many placeholders and tags of blocks the template has. */
export type ParseResult = { program: Program; tags: number } | { error: TemplateSyntaxError };

/**
 * Reads a template with Handlebars' parser, and nothing more of Handlebars than its parser: the content is always text
 * (a ready-made tree handed in as content is how code was once smuggled into generated templates), and no code is ever
 * generated from it.
 */
export const parseTemplate = (content: unknown, bounds: TemplateLimits = templateLimits): ParseResult => {
  if (typeof content !== 'string') return { error: { message: 'The content of a template is text.', line: 1 } };
  const outline = scanTags(content, bounds);
  if (outline.limitExceeded)
    return { error: { message: outline.limitExceeded.message, line: lineAt(content, outline.limitExceeded.offset) } };
  try {
    return { program: Handlebars.parse(content) as unknown as Program, tags: outline.tags };
  } catch (error) {
    return { error: describeSyntaxError(content, outline, error) };
  }
};
