import Handlebars from 'handlebars';
import type { Program } from './ast.ts';
import { handlebarsParser, LimitExceeded, limitedLexer, type Progress, type Tag } from './limited-lexer.ts';
import { type TemplateLimits, templateLimits } from './limits.ts';
import { truncateForMessage } from './messages.ts';

/** `line` counts from 1. */
export type TemplateSyntaxError = { message: string; line: number };

/** Where the parser stopped. `line` counts from 0. */
type ParserStop = { text: string; token: string | null; line: number };

class ParserError extends Error {
  readonly stop: ParserStop;
  constructor(message: string, stop: ParserStop) {
    super(message);
    this.stop = stop;
  }
}

// At the first use, Handlebars gives its parser the constructors of nodes.
Handlebars.parseWithoutProcessing('');

/** Handlebars' parser with another lexer. Its own error has the line of the last valid token, so it is not used. */
const parserWith = (lexer: object): typeof handlebarsParser =>
  Object.create(handlebarsParser, {
    lexer: { value: lexer },
    parseError: {
      value: (message: string, stop: ParserStop) => {
        throw new ParserError(message, stop);
      },
    },
  }) as typeof handlebarsParser;

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

/** Removes the white space around standalone tags and tags like {{~x~}}: all that this does if it is given a program. */
const stripWhiteSpace = Handlebars.parse as unknown as (program: Program) => Program;

/** The line of an offset in a text, counted from 1. */
export const lineAt = (content: string, at: number): number => content.slice(0, at).split(/\r\n?|\n/).length;

const isNeverEnded = (content: string, { offset, text }: Tag) =>
  !content.includes('}}', offset) || /^\{\{~?!$/.test(text);

/** Describes the error of Handlebars' parser for the template's author. The line counts from 1. */
const describeSyntaxError = (content: string, error: unknown, { openTag, blocks }: Progress): TemplateSyntaxError => {
  if (error instanceof LimitExceeded) return { message: error.message, line: error.line };
  if (!(error instanceof ParserError)) {
    const { lineNumber = 1, message } = error as { lineNumber?: number; message?: string };
    return { message: rewriteParserMessage(String(message)), line: lineNumber };
  }
  const { stop } = error;
  if (openTag && isNeverEnded(content, openTag))
    return {
      message: 'A placeholder or comment that begins here is never ended.',
      line: lineAt(content, openTag.offset),
    };
  const innermost = blocks.at(-1);
  if (innermost && (stop.token === 'EOF' || stop.token === null))
    return {
      message: `The block ${truncateForMessage(innermost.text)} is never closed.`,
      line: lineAt(content, innermost.offset),
    };
  return describeParserStop(stop);
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
  const { lexer, progress } = limitedLexer(limits);
  try {
    const program = parserWith(lexer).parse(content);
    return { program: stripWhiteSpace(program), tags: progress.tags };
  } catch (error) {
    return { error: describeSyntaxError(content, error, progress) };
  }
};
