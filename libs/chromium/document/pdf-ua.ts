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
 * Runs in the page. Gives formulas, named pictures and tick boxes the role with which the browser prints an alternative
 * text. Finds the visible elements that assistive technology cannot read and that are not named as decoration: what the
 * browser prints without structure, pictures without a name, and links without a text.
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
  const nameFor = (element) => labelOf(element) || element.getAttribute('title')?.trim() ||
    element.getAttribute('alt')?.trim() || (element.localName === 'svg' && titleOf(element)) || '';
  const fallbackOf = ({ localName, textContent }) =>
    localName === 'object' || localName === 'canvas' ? textContent.trim() : '';
  const isPicture = (element) => !['object', 'embed'].includes(element.localName) || isImage(element);
  const pictures = 'svg:not(svg svg, [role]), object, embed, input[type=image], canvas:not(:empty)';
  for (const picture of document.querySelectorAll(pictures)) {
    const text = picture.localName === 'svg' ? labelOf(picture) || titleOf(picture)
      : nameFor(picture) || fallbackOf(picture);
    if (!text || !isPicture(picture) || isDecoration(picture)) continue;
    picture.setAttribute('role', 'img');
    picture.setAttribute('aria-label', text);
  }
  // The signs need no language. The text of a label beside the box is read as text.
  for (const box of document.querySelectorAll('input[type=checkbox], input[type=radio]')) {
    if (isDecoration(box)) continue;
    box.setAttribute('aria-label', (nameFor(box) + ' ' + (box.checked ? '\u2611' : '\u2610')).trim());
    box.setAttribute('role', 'img');
  }
  const content = 'img, svg, canvas, object, embed, video, input';
  // Parts of a named drawing have its name.
  const isRasterised = (element) => {
    const { filter, webkitBoxReflect } = getComputedStyle(element);
    return (filter !== 'none' || webkitBoxReflect !== 'none') && !element.parentElement?.closest('[role="img"]') &&
      (element.textContent.trim() !== '' || element.matches(content) || element.querySelector(content) !== null);
  };
  const kinds = {
    select: (element) => element.options.length > 0,
    object: (element) => isImage(element) ? !element.hasAttribute('aria-label') : element.contentWindow !== null,
    embed: (element) => !isImage(element) || !element.hasAttribute('aria-label'),
    input: (element) => !nameFor(element),
    video: () => true,
    svg: (element) => !nameFor(element) && !element.querySelector('text, foreignObject'),
    a: (element) => !element.textContent.trim() && ![element, ...element.querySelectorAll('*')].some(nameFor),
  };
  const isUnreadable = (element) => (kinds[element.localName] ?? (() => element.contentWindow !== null))(element);
  const describe = ({ localName, id }) => (id ? localName + '#' + id.slice(0, 100) : localName);
  const selector = 'iframe, frame, object, embed, select, input[type=image], video, ' +
    'svg:not(svg svg, a[href] svg), a[href]';
  const reasonFor = (element) => element.matches(selector) && isUnreadable(element)
    ? isImage(element) ? 'image' : element.localName
    : isRasterised(element) ? 'filter' : null;
  const found = [...document.querySelectorAll('body, body *, frame')].flatMap((element) => {
    const reason = reasonFor(element);
    return reason && isVisible(element) && !isDecoration(element) ? [{ reason, element: describe(element) }] : [];
  });
  return { total: found.length, elements: found.slice(0, ${maxListedViolations}) };
})()`;

const unreadable = z.object({ reason: z.string(), element: z.string() });
const found = z.object({ total: z.number().int(), elements: z.array(unreadable).max(maxListedViolations) });

const inFrame = {
  standard: 'ISO 14289-1, 7.1',
  message:
    'Put its content into the document itself, or mark it as decoration (aria-hidden="true"): assistive technology ' +
    'cannot read what is in a frame.',
};
const withoutName = {
  standard: 'ISO 14289-1, 7.3',
  message: 'Give the image an alternative text (aria-label), or aria-hidden="true" if it is decoration.',
};
const reasons: Record<string, { standard: string; message: string }> = {
  select: {
    standard: 'ISO 14289-1, 7.1',
    message: 'Write the chosen option as text: assistive technology cannot read it in a list of options.',
  },
  image: withoutName,
  input: withoutName,
  video: {
    standard: 'ISO 14289-1, 7.3',
    message: 'Put an image with an alternative text in its place, or mark it as decoration (aria-hidden="true").',
  },
  filter: {
    standard: 'ISO 14289-1, 7.1',
    message:
      'Remove its filter or reflection: the browser prints such an element as a picture, which assistive technology ' +
      'cannot read.',
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
const violationOf = ({ reason, element }: z.output<typeof unreadable>): ConformanceViolation => ({
  element,
  ...(reasons[reason] ?? inFrame),
});

/**
 * Prepares the loaded page for PDF/UA; pages for other standards stay as they are.
 * @throws ApiError conformance_not_met if assistive technology could not read a part of it
 */
export const prepareForPdfUa = async (session: Session, { options, isForPdfUa }: PrintRequest): Promise<void> => {
  if (isForPdfUa !== true && ![options.conformance].flat().includes(pdfUa)) return;
  const { total, elements } = found.parse(await evaluate(session, prepareExpression));
  if (total > 0) throw conformanceNotMet(elements.map(violationOf), total);
  const moved = await replaceGeneratedTexts(session);
  if (moved !== null) throw conformanceNotMet([{ element: moved, ...generated }]);
};
