import Handlebars from 'handlebars';
import type { Program } from './ast.ts';
import { type Bounds, limits } from './limits.ts';
import { shown } from './messages.ts';
import { lineAt, type Outline, outlineOf } from './outline.ts';

/** `line` counts from 1. */
export type SyntaxFault = { message: string; line: number };

type Stop = { text: string; token: string | null; line: number };

/**
 * Where the parser stopped. Its own message names the line of the last good token, not of the bad one,
 * so the parse is repeated with an ear for the details.
 */
const stopOf = (content: string): Stop | undefined => {
  const { Parser } = Handlebars as unknown as { Parser: { parse: (text: string) => unknown } };
  const heard: { stop?: Stop } = {};
  const listener = Object.create(Parser, {
    parseError: {
      value: (message: string, stop: Stop) => {
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

const atStop = ({ text, token, line }: Stop): SyntaxFault => {
  const at = line + 1;
  if (token === 'OPEN_ENDBLOCK') return { message: 'A closing tag {{/...}} stands here without a block that it could close.', line: at };
  if (token === 'INVERSE' || token === 'OPEN_INVERSE_CHAIN' || token === 'OPEN_INVERSE') return { message: 'An {{else}} stands here outside of a block, or a second time in one.', line: at };
  if (token === 'CLOSE') return { message: 'The placeholder ends too early.', line: at };
  return { message: text === '' ? 'The template ends too early.' : `Unexpected "${shown(text)}" in a placeholder.`, line: at };
};

const inOurWords = (message: string): string => {
  const [, opened, closed] = /^(.+) doesn't match (.+) - \d+:\d+$/s.exec(message) ?? [];
  return opened && closed ? `The block {{#${shown(opened)}}} is closed by {{/${shown(closed)}}}.` : shown(message.replace(/ - \d+:\d+$/, ''));
};

/**
 * What is wrong with a template that Handlebars' parser refused with `error`, and on which line (from 1), in words for
 * its author.
 */
const explain = (content: string, outline: Outline, error: unknown): SyntaxFault => {
  const { lineNumber, message } = error as { lineNumber?: number; message?: string };
  if (lineNumber !== undefined) return { message: inOurWords(String(message)), line: lineNumber };
  if (outline.unended !== undefined) return { message: 'A placeholder or comment that begins here is never ended.', line: lineAt(content, outline.unended) };

  const stop = stopOf(content);
  const innermost = outline.openBlocks.at(-1);
  const atEnd = stop?.token === 'EOF' || stop?.token === null || stop === undefined;
  if (atEnd && innermost) return { message: `The block ${shown(innermost.text)} is never closed.`, line: lineAt(content, innermost.at) };
  return stop ? atStop(stop) : { message: 'The template cannot be read.', line: 1 };
};

/** `tags` is how many placeholders and tags of blocks the template has. */
export type Parsed = { program: Program; tags: number } | { fault: SyntaxFault };

/**
 * Reads a template with Handlebars' parser, and nothing more of Handlebars than its parser: the content is always text
 * (a ready-made tree handed in as content is how code was once smuggled into generated templates), and no code is ever
 * generated from it.
 */
export const parseTemplate = (content: unknown, bounds: Bounds = limits): Parsed => {
  if (typeof content !== 'string') return { fault: { message: 'The content of a template is text.', line: 1 } };
  const outline = outlineOf(content, bounds);
  if (outline.excess) return { fault: { message: outline.excess.message, line: lineAt(content, outline.excess.at) } };
  try {
    return { program: Handlebars.parse(content) as unknown as Program, tags: outline.tags };
  } catch (error) {
    return { fault: explain(content, outline, error) };
  }
};
