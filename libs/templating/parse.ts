import Handlebars from 'handlebars';
import type { Program } from './ast.ts';
import { type TemplateLimits, templateLimits } from './limits.ts';
import { truncateForMessage } from './messages.ts';
import { lineAt, type TagScan, scanTags } from './tag-scan.ts';

/** `line` counts from 1. */
export type TemplateSyntaxError = { message: string; line: number };

type ParserStop = { text: string; token: string | null; line: number };

/**
 * Finds where the parser stopped. Its own message has the line of the last valid token, so the content is parsed again
 * with an error handler.
 */
const findParserStop = (content: string): ParserStop | undefined => {
  const { Parser } = Handlebars as unknown as { Parser: { parse: (text: string) => unknown } };
  const captured: { stop?: ParserStop } = {};
  const parser = Object.create(Parser, {
    parseError: {
      value: (message: string, stop: ParserStop) => {
        captured.stop = stop;
        throw new Error(message);
      },
    },
  }) as typeof Parser;
  try {
    parser.parse(content);
  } catch {
    return captured.stop;
  }
  return undefined;
};

const describeParserStop = ({ text, token, line }: ParserStop): TemplateSyntaxError => {
  const templateLine = line + 1;
  if (token === 'OPEN_ENDBLOCK')
    return { message: 'A closing tag {{/...}} stands here without a block that it could close.', line: templateLine };
  if (token === 'INVERSE' || token === 'OPEN_INVERSE_CHAIN' || token === 'OPEN_INVERSE')
    return { message: 'An {{else}} stands here outside of a block, or a second time in one.', line: templateLine };
  if (token === 'NUMBER')
    return {
      message:
        `Unexpected "${truncateForMessage(text)}" in a placeholder; at the end of a path, the number of an item is in ` +
        'brackets, as in {{items.[0]}}.',
      line: templateLine,
    };
  if (token === 'CLOSE') return { message: 'The placeholder ends too early.', line: templateLine };
  return {
    message:
      text === '' ? 'The template ends too early.' : `Unexpected "${truncateForMessage(text)}" in a placeholder.`,
    line: templateLine,
  };
};

const rewriteParserMessage = (message: string): string => {
  const [, opened, closed] = /^(.+) doesn't match (.+) - \d+:\d+$/s.exec(message) ?? [];
  return opened && closed
    ? `The block {{#${truncateForMessage(opened)}}} is closed by {{/${truncateForMessage(closed)}}}.`
    : truncateForMessage(message.replace(/ - \d+:\d+$/, ''));
};

/** Describes the error of Handlebars' parser for the template's author. The line counts from 1. */
const describeSyntaxError = (content: string, scan: TagScan, error: unknown): TemplateSyntaxError => {
  const { lineNumber, message } = error as { lineNumber?: number; message?: string };
  if (lineNumber !== undefined) return { message: rewriteParserMessage(String(message)), line: lineNumber };
  if (scan.unclosedTag !== undefined)
    return {
      message: 'A placeholder or comment that begins here is never ended.',
      line: lineAt(content, scan.unclosedTag),
    };

  const stop = findParserStop(content);
  const innermost = scan.openBlocks.at(-1);
  const atEnd = stop?.token === 'EOF' || stop?.token === null || stop === undefined;
  if (atEnd && innermost)
    return {
      message: `The block ${truncateForMessage(innermost.text)} is never closed.`,
      line: lineAt(content, innermost.offset),
    };
  return stop ? describeParserStop(stop) : { message: 'The template cannot be read.', line: 1 };
};

/** `tags` is the number of placeholders and block tags in the template. */
export type ParseResult = { program: Program; tags: number } | { error: TemplateSyntaxError };

/**
 * Parses a template with Handlebars' parser, the only part of Handlebars in use. The content must be text: a syntax
 * tree given as content was once a way to inject code into generated templates. No code is generated from it.
 */
export const parseTemplate = (content: unknown, limits: TemplateLimits = templateLimits): ParseResult => {
  if (typeof content !== 'string') return { error: { message: 'The content of a template must be text.', line: 1 } };
  const nul = content.indexOf('\0');
  if (nul >= 0)
    return { error: { message: 'The template contains a NUL character. Remove it.', line: lineAt(content, nul) } };
  const scan = scanTags(content, limits);
  if (scan.limitExceeded)
    return { error: { message: scan.limitExceeded.message, line: lineAt(content, scan.limitExceeded.offset) } };
  try {
    return { program: Handlebars.parse(content) as unknown as Program, tags: scan.tags };
  } catch (error) {
    return { error: describeSyntaxError(content, scan, error) };
  }
};
