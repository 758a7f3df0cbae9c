import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { Warning } from '#contracts/http/warnings.ts';

/** A warning without the part that it is about. */
const withoutPart = (warning: RenderWarning): Warning => {
  switch (warning.kind) {
    case 'resource_failed': {
      const { kind, url, reason } = warning;
      return { type: kind, message: `The resource ${url} could not be loaded: ${reason}`, url, reason };
    }
    case 'content_overflow': {
      const { kind, element, page, side, overflowMm } = warning;
      const message = /^(?:header|footer)_html$/.test(element)
        ? `The ${side} edge of the page cuts ${overflowMm} mm off the text in ${element}. Shorten it, or let it wrap.`
        : `The content of ${element} exceeds the printable area by ${overflowMm} mm on the ` +
          `${side}${page === undefined ? '' : ` of page ${page}`}.`;
      return { type: kind, message, element, ...(page === undefined ? {} : { page }), side, overflow_mm: overflowMm };
    }
    case 'content_shrunk': {
      const { kind, factor, element } = warning;
      const message =
        `The content${element === undefined ? '' : ` of ${element}`} is wider than the page, so ` +
        `everything is printed at ${Math.round(factor * 100)} % of its size.`;
      return { type: kind, message, factor, ...(element === undefined ? {} : { element }) };
    }
    case 'asset_unused': {
      const { kind, name } = warning;
      const message = `The document does not use the asset ${name} as an image, style sheet, font or script.`;
      return { type: kind, message, name };
    }
    case 'invalid_formula': {
      const { kind, line, source, reason } = warning;
      const message = `The formula on line ${line} is not valid TeX, so its source is printed: ${reason}`;
      return { type: kind, message, line, source, reason };
    }
    case 'content_left_out': {
      const { kind, content, count, line, source } = warning;
      const first = line === undefined || source === undefined ? {} : { line, source };
      const message =
        `The PDF leaves out what the document has of this kind: ${content} (${count}).` +
        (line === undefined ? '' : ` The first is on line ${line}: ${source}`);
      return { type: kind, message, content, count, ...first };
    }
    case 'option_ignored': {
      const { kind, option, reason } = warning;
      return { type: kind, message: `The option ${option} was ignored. ${reason}`, option, reason };
    }
    case 'feature_ignored': {
      const { kind, feature, reason } = warning;
      return { type: kind, message: `This has no effect: ${feature}. ${reason}`, feature, reason };
    }
    case 'link_broken': {
      const { kind, link } = warning;
      const message = `The link ${link} goes nowhere, because the document has no such part. Parts count from 0.`;
      return { type: kind, message, link };
    }
    case 'layout_fallback': {
      const { kind, reason } = warning;
      return { type: kind, message: `The document was laid out as by docx_layout semantic. ${reason}`, reason };
    }
  }
};

const warningOf = (warning: RenderWarning): Warning => {
  const { part } = warning;
  const view = withoutPart(warning);
  return part === undefined ? view : { ...view, message: `${part}: ${view.message}`, part };
};

/** The field `warnings` of a response; no field if there are none. */
export const warningsFieldOf = (warnings: readonly RenderWarning[] | undefined): { warnings?: Warning[] } =>
  warnings === undefined || warnings.length === 0 ? {} : { warnings: warnings.map(warningOf) };
