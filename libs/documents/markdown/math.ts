import { escapeMarkup } from '#libs/markup/escape.ts';
import type { MarkdownIt } from 'markdown-it';
import temml from 'temml';

/** A formula that is not valid TeX. `line` counts from 1 and is the first line of the paragraph. */
export type MathError = { line: number; source: string; reason: string };

type Environment = { [name: string]: unknown; mathErrors?: MathError[]; mathmlLength?: number };

/** Longer formulas are not converted: with the limit on macros, this bounds the size of what they expand to. */
const maxFormulaLength = 4_000;
const maxMacroExpansions = 1_000;
/** A formula with macros of its own can repeat a long text many times. */
const definition = /\\(?:[gex]?def|(?:re)?newcommand|providecommand)\b/;
const maxDefiningLength = 1_000;
/** Characters of MathML in one document; further formulas are not set. */
const maxMathml = 8_000_000;
/** Longer formulas in a line of text may be broken after an operator. */
const maxUnbrokenLength = 60;
/** The largest dimension that a formula may name, in em. */
const maxSize = 50;
const maxErrors = 50;

const errorText = (source: string, isBlock: boolean): string =>
  isBlock
    ? `<pre class="math-error"><code>${escapeMarkup(source)}</code></pre>\n`
    : `<code class="math-error">${escapeMarkup(source)}</code>`;

const formulaToMathml = (source: string, displayMode: boolean): string => {
  if (source.length > maxFormulaLength)
    throw new RangeError(`the formula is longer than ${maxFormulaLength} characters`);
  if (source.length > maxDefiningLength && definition.test(source))
    throw new RangeError(`the formula defines macros and is longer than ${maxDefiningLength} characters`);
  const mathml = temml.renderToString(source, {
    displayMode,
    wrap: source.length > maxUnbrokenLength ? 'tex' : 'none',
    throwOnError: true,
    maxExpand: maxMacroExpansions,
    maxSize: [maxSize, maxSize],
    trust: false,
    strict: false,
    macros: {},
  });
  // A function, because `$` has a meaning in a replacement text.
  return mathml.replace('<math', () => `<math alttext="${escapeMarkup(source.trim())}"`);
};

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]!.trim().slice(0, 300);

/** MathML of a formula, or its source marked as wrong, with the error in the environment of the document. */
const renderFormula = (
  source: string,
  display: boolean,
  isBlock: boolean,
  line: number,
  env: Environment = {},
): string => {
  try {
    if ((env.mathmlLength ?? 0) > maxMathml) throw new RangeError('the formulas of the document are too large');
    const mathml = formulaToMathml(source, display);
    env.mathmlLength = (env.mathmlLength ?? 0) + mathml.length;
    return isBlock ? `<p class="formula">${mathml}</p>\n` : mathml;
  } catch (error) {
    const errors = (env.mathErrors ??= []);
    if (errors.length < maxErrors) errors.push({ line, source: source.slice(0, 200), reason: reasonOf(error) });
    return errorText(source, isBlock);
  }
};

/** The errors found when the document of this environment was rendered. */
export const mathErrorsOf = (env: Environment): MathError[] => env.mathErrors ?? [];

const isLetterOrDigit = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

/** `$5 and 10$` is an amount with text after it. */
const isAmount = (source: string): boolean => /^\d[\d.,]*\s+[\p{L}]{2,}/u.test(source);

/** The position of the `$` that ends an inline formula. Pandoc: not after a space, and not before a digit. */
const findInlineEnd = (text: string, start: number, end: number): number => {
  for (let at = text.indexOf('$', start); at >= 0 && at < end; at = text.indexOf('$', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 1) continue;
    if (/\s/.test(text[at - 1]!) || isLetterOrDigit(text[at + 1] ?? '') || text[at + 1] === '$') return -1;
    return at;
  }
  return -1;
};

const addInlineRule = (markdown: MarkdownIt): void => {
  markdown.inline.ruler.after('escape', 'math', (state, silent) => {
    const { src, pos, posMax } = state;
    if (src[pos] !== '$') return false;
    const marker = src[pos + 1] === '$' ? '$$' : '$';
    const start = pos + marker.length;
    const end = marker === '$$' ? src.indexOf('$$', start) : findInlineEnd(src, start, posMax);
    const before = src[pos - 1] ?? '';
    if (end <= start || end + marker.length > posMax || isLetterOrDigit(before) || before === '$') return false;
    const source = src.slice(start, end);
    if (marker === '$' && (/^\s/.test(source) || isAmount(source))) return false;
    // GitHub: $`..`$ keeps Markdown from reading the formula. A backtick has no meaning in formulas.
    const content = source.replace(/^`([^]+)`$/, '$1').trim();
    if (!silent) Object.assign(state.push('math_inline', 'math', 0), { content, markup: marker });
    state.pos = end + marker.length;
    return true;
  });
};

/** A formula between lines that begin and end with `$$`, or a whole one on one line. */
const addBlockRule = (markdown: MarkdownIt): void => {
  markdown.block.ruler.before(
    'fence',
    'math',
    (state, startLine, endLine, silent) => {
      const lineText = (line: number) => state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
      const first = lineText(startLine);
      if (!first.startsWith('$$') || state.sCount[startLine]! - state.blkIndent >= 4) return false;
      let last = startLine;
      const isEnd = (line: number, text: string) =>
        text.trimEnd().endsWith('$$') && (line > startLine || text.trimEnd().length > 3);
      while (!isEnd(last, lineText(last))) {
        // A formula has no `$$` in it. The search must end here: each such line of a paragraph begins another one.
        if (lineText(last).includes('$$', last === startLine ? 2 : 0)) return false;
        last += 1;
        // Like a paragraph, a formula ends at a blank line, and with the list or quotation around it.
        if (last >= endLine || state.isEmpty(last) || state.sCount[last]! < state.blkIndent) return false;
      }
      const source = state
        .getLines(startLine, last + 1, state.tShift[startLine]!, false)
        .trim()
        .slice(2, -2);
      if (source.includes('$$') || source.trim() === '') return false;
      if (silent) return true;
      const token = state.push('math_block', 'math', 0);
      Object.assign(token, { block: true, content: source.trim(), map: [startLine, last + 1], markup: '$$' });
      state.line = last + 1;
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
};

/**
 * Formulas in TeX: `$..$` and `$$..$$` as in Pandoc, fences named `math`, and GitHub's inline form with backticks. They
 * become MathML. Wrong TeX is shown as it is written, see `mathErrorsOf`.
 */
export const math = (markdown: MarkdownIt): void => {
  addInlineRule(markdown);
  addBlockRule(markdown);
  markdown.core.ruler.push('math-lines', ({ tokens }) => {
    for (const { map, children } of tokens)
      for (const child of children ?? []) if (child.type === 'math_inline') child.map = map;
  });
  const { rules } = markdown.renderer;
  const lineOf = (map: [number, number] | null | undefined) => (map?.[0] ?? 0) + 1;
  rules['math_inline'] = (tokens, index, _options, env) => {
    const { content, markup, map } = tokens[index]!;
    return renderFormula(content, markup === '$$', false, lineOf(map), env);
  };
  rules['math_block'] = (tokens, index, _options, env) => {
    const { content, map } = tokens[index]!;
    return renderFormula(content, true, true, lineOf(map), env);
  };
  const renderFence = rules.fence!;
  rules.fence = (tokens, index, options, env, renderer) => {
    const { info, content, map } = tokens[index]!;
    return info.trim() === 'math'
      ? renderFormula(content.trim(), true, true, lineOf(map), env)
      : renderFence(tokens, index, options, env, renderer);
  };
};
