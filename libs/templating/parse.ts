import Handlebars from 'handlebars';
import type { Program } from './ast.ts';
import { type Bounds, limits } from './limits.ts';
import { lineAt, outlineOf } from './outline.ts';
import type { SyntaxFault } from './syntax-error.ts';
import { explain } from './syntax-error.ts';

/** `tags` is how many placeholders and tags of blocks the template has. */
export type Parsed = { program: Program; tags: number } | { fault: SyntaxFault };

/**
 * Reads a template with Handlebars' parser, and nothing more of Handlebars than its parser: the content is always text
 * (a ready-made tree handed in as content is how code was once smuggled into generated templates), and no code is ever generated from it.
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
