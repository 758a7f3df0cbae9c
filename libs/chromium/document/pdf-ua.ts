import { z } from 'zod';
import { conformanceNotMet, maxListedViolations } from '#contracts/http/api-error.ts';
import { type ConformanceViolation, pdfUa } from '#contracts/http/conformance.ts';
import { formulaMark } from '#libs/pdf/formula-mark.ts';
import type { Session } from '../cdp/connection.ts';
import type { PrintRequest } from '../print-request.ts';
import { evaluate } from './evaluate.ts';
import { replaceGeneratedTexts } from './generated-text.ts';

/** Longer alternative texts of formulas are cut. */
const maxFormulaText = 4_000;

/**
 * Runs in the page. Gives formulas and named drawings the role with which the browser prints an alternative text. Finds
 * the visible elements that assistive technology cannot read and that are not named as decoration: what the browser
 * prints without structure, drawings without a name, and links without a text. An image in an object or embed has its own
 * structure.
 */
const prepareExpression = String.raw`(() => {
  const isImage = (element) => /^image\/(?!svg)/.test(element.type) ||
    /^data:image\/(?!svg)/i.test(element.data ?? element.src ?? '');
  const isDecoration = (element) => element.closest('[aria-hidden="true"], [role="presentation"], [role="none"]');
  const isVisible = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  };
  const labelOf = (element) => {
    const labels = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
    const text = labels.map((id) => document.getElementById(id)?.textContent ?? '').join(' ') ||
      element.getAttribute('aria-label') || '';
    return text.trim();
  };
  const titleOf = (svg) => [...svg.children].find(({ localName }) => localName === 'title')?.textContent.trim() ?? '';
  for (const math of document.querySelectorAll('math:not([aria-hidden="true"])')) {
    const source = math.querySelector('annotation[encoding="application/x-tex"]')?.textContent;
    const text = labelOf(math) || math.getAttribute('alttext') || source || math.textContent;
    math.setAttribute('role', 'img');
    math.setAttribute('aria-label', ${JSON.stringify(formulaMark)} + text.trim().slice(0, ${maxFormulaText}));
  }
  for (const svg of document.querySelectorAll('svg:not(svg svg, [role])')) {
    const text = labelOf(svg) || titleOf(svg);
    if (!text) continue;
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', text);
  }
  const isNamed = (element) => labelOf(element) || element.getAttribute('title')?.trim() || element.alt?.trim() ||
    (element.localName === 'svg' && titleOf(element));
  const kinds = {
    select: (element) => element.options.length > 0,
    object: (element) => element.contentWindow !== null && !isImage(element),
    embed: (element) => !isImage(element),
    svg: (element) => !isNamed(element) && !element.querySelector('text, foreignObject'),
    a: (element) => !element.textContent.trim() && ![element, ...element.querySelectorAll('*')].some(isNamed),
  };
  const isUnreadable = (element) => (kinds[element.localName] ?? (() => element.contentWindow !== null))(element);
  const nameOf = ({ localName, id }) => (id ? localName + '#' + id.slice(0, 100) : localName);
  const selector = 'iframe, frame, object, embed, select, svg:not(svg svg, a[href] svg), a[href]';
  const found = [...document.querySelectorAll(selector)].filter((element) =>
    isUnreadable(element) && isVisible(element) && !isDecoration(element));
  return { total: found.length, elements: found.slice(0, ${maxListedViolations}).map(nameOf) };
})()`;

const found = z.object({ total: z.number().int(), elements: z.array(z.string()).max(maxListedViolations) });

const timeoutMs = 2_000;

const inFrame = {
  standard: 'ISO 14289-1, 7.1',
  message:
    'Put its content into the document itself, or mark it as decoration (aria-hidden="true"): assistive technology ' +
    'cannot read what is in a frame.',
};
const reasons: Record<string, { standard: string; message: string }> = {
  select: {
    standard: 'ISO 14289-1, 7.1',
    message: 'Write the chosen option as text: assistive technology cannot read it in a list of options.',
  },
  svg: {
    standard: 'ISO 14289-1, 7.3',
    message:
      'Give the drawing an alternative text (<title>, or aria-label), or aria-hidden="true" if it is decoration.',
  },
  a: {
    standard: 'ISO 14289-1, 7.18.5',
    message: 'Give the link a text, or its image an alternative text.',
  },
};
const generated = {
  standard: 'ISO 14289-1, 7.1',
  message:
    'Write the text of its ::before or ::after into the document: assistive technology does not read what a style ' +
    'sheet adds, and an element in place of it would change the layout.',
};
const violationOf = (element: string): ConformanceViolation => ({
  element,
  ...(reasons[element.split('#')[0]!] ?? inFrame),
});

/**
 * Prepares the loaded page for PDF/UA; pages for other standards stay as they are.
 * @throws ApiError conformance_not_met if assistive technology could not read a part of it
 */
export const prepareForPdfUa = async (session: Session, { options, isForPdfUa }: PrintRequest): Promise<void> => {
  if (isForPdfUa !== true && ![options.conformance].flat().includes(pdfUa)) return;
  const { total, elements } = found.parse(await evaluate(session, prepareExpression, { timeout: timeoutMs }));
  if (total > 0) throw conformanceNotMet(elements.map(violationOf), total);
  const moved = await replaceGeneratedTexts(session);
  if (moved !== null) throw conformanceNotMet([{ element: moved, ...generated }]);
};
