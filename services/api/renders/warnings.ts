import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { Warning } from '#contracts/http/warnings.ts';

const messageOf = (warning: RenderWarning): string => {
  switch (warning.kind) {
    case 'resource_failed':
      return `The resource ${warning.url} could not be loaded: ${warning.reason}`;
    case 'content_overflow':
      return (
        `The content of ${warning.element} exceeds the printable area by ${warning.overflowMm} mm on the ` +
        `${warning.side}${warning.page === undefined ? '' : ` of page ${warning.page}`}.`
      );
    case 'content_shrunk':
      return (
        `The content${warning.element === undefined ? '' : ` of ${warning.element}`} is wider than the page, so ` +
        `everything is printed at ${Math.round(warning.factor * 100)} % of its size.`
      );
    case 'asset_unused':
      return `The document does not use the asset ${warning.name} as an image, style sheet, font or script.`;
    case 'invalid_formula':
      return `The formula on line ${warning.line} is not valid TeX, so its source is printed: ${warning.reason}`;
    case 'content_left_out':
      return `The PDF leaves out what the document has of this kind: ${warning.content} (${warning.count}).`;
    case 'option_ignored':
      return `The option ${warning.option} was ignored. ${warning.reason}`;
    case 'link_broken':
      return `The link ${warning.link} goes nowhere, because the document has no such part. Parts count from 0.`;
    case 'layout_fallback':
      return `The document was laid out as by docx_layout semantic. ${warning.reason}`;
  }
};

const warningOf = (warning: RenderWarning): Warning => {
  const { part } = warning;
  const message = part === undefined ? messageOf(warning) : `${part}: ${messageOf(warning)}`;
  return { ...fieldsOf(warning, message), ...(part === undefined ? {} : { part }) };
};

const fieldsOf = (warning: RenderWarning, message: string): Warning => {
  switch (warning.kind) {
    case 'resource_failed':
      return { type: warning.kind, message, url: warning.url, reason: warning.reason };
    case 'content_overflow': {
      const { kind, element, page, side, overflowMm } = warning;
      return { type: kind, message, element, ...(page === undefined ? {} : { page }), side, overflow_mm: overflowMm };
    }
    case 'content_shrunk': {
      const { kind, factor, element } = warning;
      return { type: kind, message, factor, ...(element === undefined ? {} : { element }) };
    }
    case 'asset_unused':
      return { type: warning.kind, message, name: warning.name };
    case 'invalid_formula':
      return { type: warning.kind, message, line: warning.line, source: warning.source, reason: warning.reason };
    case 'content_left_out':
      return { type: warning.kind, message, content: warning.content, count: warning.count };
    case 'option_ignored':
      return { type: warning.kind, message, option: warning.option, reason: warning.reason };
    case 'link_broken':
      return { type: warning.kind, message, link: warning.link };
    case 'layout_fallback':
      return { type: warning.kind, message, reason: warning.reason };
  }
};

/** The field `warnings` of a response; no field if there are none. */
export const warningsFieldOf = (warnings: readonly RenderWarning[] | undefined): { warnings?: Warning[] } =>
  warnings === undefined || warnings.length === 0 ? {} : { warnings: warnings.map(warningOf) };
