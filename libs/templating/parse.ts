import Handlebars from 'handlebars';
import type { Program } from './ast.ts';
import { lineAt, outlineOf } from './outline.ts';
import type { SyntaxFault } from './syntax-error.ts';
import { explain } from './syntax-error.ts';

export type Parsed = { program: Program } | { fault: SyntaxFault };

/**
 * Reads a template with Handlebars' parser, and nothing more of Handlebars than its parser: the content is always text
 * (a ready-made tree handed in as content is how code was once smuggled into generated templates), and no code is ever generated from it.
 */
export const parseTemplate = (content: unknown): Parsed => {
  if (typeof content !== 'string') return { fault: { message: 'The content of a template is text.', line: 1 } };
  const outline = outlineOf(content);
  if (outline.excess) return { fault: { message: outline.excess.message, line: lineAt(content, outline.excess.at) } };
  try {
    return { program: Handlebars.parse(content) as unknown as Program };
  } catch (error) {
    return { fault: explain(content, outline, error) };
  }
};
