import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import { pdfUa } from '#contracts/http/conformance.ts';
import type { Session } from '../cdp/connection.ts';
import type { PrintRequest } from '../print-request.ts';

const maxListed = 50;

/**
 * Runs in the page: the visible elements whose text the browser prints without structure, and that are not named as
 * decoration. An image in an object or embed has its own structure.
 */
const findExpression = String.raw`(() => {
  const isImage = (element) => /^image\/(?!svg)/.test(element.type) ||
    /^data:image\/(?!svg)/i.test(element.data ?? element.src ?? '');
  const isDecoration = (element) => element.closest('[aria-hidden="true"], [role="presentation"], [role="none"]');
  const isVisible = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  };
  const isUnreadable = (element) => {
    if (element.localName === 'select') return element.options.length > 0;
    if (element.localName === 'object') return element.contentWindow !== null && !isImage(element);
    return element.localName === 'embed' ? !isImage(element) : element.contentWindow !== null;
  };
  const nameOf = ({ localName, id }) => (id ? localName + '#' + id.slice(0, 100) : localName);
  const found = [...document.querySelectorAll('iframe, frame, object, embed, select')].filter((element) =>
    isUnreadable(element) && isVisible(element) && !isDecoration(element));
  return { total: found.length, elements: found.slice(0, ${maxListed}).map(nameOf) };
})()`;

const found = z.object({ total: z.number().int(), elements: z.array(z.string()).max(maxListed) });

const mayContain = /<(?:iframe|frame|object|embed|select)\b/i;
const timeoutMs = 2_000;

const messageOf = (element: string): string =>
  element.startsWith('select')
    ? 'Write the chosen option as text: assistive technology cannot read it in a list of options.'
    : 'Put its content into the document itself, or mark it as decoration (aria-hidden="true"): assistive technology ' +
      'cannot read what is in a frame.';

/**
 * Refuses a document for PDF/UA whose text the browser would print as decoration: that in frames and in lists of
 * options. Other documents are not searched.
 * @throws ApiError conformance_not_met
 */
export const refuseUnreadableElements = async (
  session: Session,
  { html, options, classification, page, isForPdfUa }: PrintRequest,
): Promise<void> => {
  if (isForPdfUa !== true && ![options.conformance].flat().includes(pdfUa)) return;
  if (!page && !classification.scripts && !mayContain.test(html)) return;
  const evaluation = { expression: findExpression, returnByValue: true, timeout: timeoutMs };
  const { result } = await session.send('Runtime.evaluate', evaluation);
  const { total, elements } = found.parse(result.value);
  if (total === 0) return;
  const violations = elements.map((element) => ({
    standard: 'ISO 14289-1, 7.1',
    element,
    message: messageOf(element),
  }));
  const { element, message } = violations[0]!;
  const more = total === 1 ? '' : ` There ${total === 2 ? 'is 1 more' : `are ${total - 1} more`}.`;
  throw ApiError.of('conformance_not_met', `The document cannot conform yet. ${element}: ${message}${more}`, {
    violations,
    total_violations: total,
  });
};
