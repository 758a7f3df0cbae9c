import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { Session } from '../cdp/connection.ts';
import type { PrintRequest } from '../print-request.ts';
import { evaluateIfPossible } from './evaluate.ts';

const maxWarnings = 20;
const maxFamilyLength = 100;

/**
 * Runs in the page: the families of `@font-face` that the text uses and that the browser could not load from any of their
 * sources, and whether one of the sources is a data: URL. Not named are families with only installed fonts (`local()`),
 * which may be missing on purpose, and with only relative URLs that lead nowhere, which are reported as missing assets.
 */
const failedFontsExpression = String.raw`(() => {
  const failed = [...document.fonts].filter(({ status }) => status === 'error');
  if (failed.length === 0) return [];
  const keyOf = (...descriptors) => descriptors.map((text) => text.replace(/^(["'])(.*)\1$/, '$2')).join('|');
  const sources = new Map();
  const hasBase = (rule) => rule.parentStyleSheet.href !== null || document.baseURI.startsWith('http');
  const collect = (sheet) => {
    try {
      for (const rule of sheet.cssRules) {
        if (rule.type === CSSRule.FONT_FACE_RULE) {
          const { fontFamily, fontWeight, fontStyle, src } = rule.style;
          const key = keyOf(fontFamily, fontWeight || 'normal', fontStyle || 'normal');
          const { isEmbedded = false, isFetched = false } = sources.get(key) ?? {};
          sources.set(key, {
            isEmbedded: isEmbedded || /url\(["']?data:/i.test(src),
            isFetched: isFetched || (hasBase(rule) ? /url\(/ : /url\(["']?(?:https?:)?\/\//i).test(src),
          });
        } else if (rule.styleSheet ?? rule.cssRules) collect(rule.styleSheet ?? rule);
      }
    } catch {}
  };
  for (const sheet of document.styleSheets) collect(sheet);
  const found = new Map();
  for (const { family, weight, style } of failed) {
    // A script made the font, or the style sheet may not be read.
    const { isEmbedded, isFetched } = sources.get(keyOf(family, weight, style)) ?? { isEmbedded: false, isFetched: true };
    if (isEmbedded || isFetched) found.set(keyOf(family).slice(0, ${maxFamilyLength}), isEmbedded);
  }
  return [...found].slice(0, ${maxWarnings});
})()`;

const isFailedFont = (value: unknown): value is [family: string, isEmbedded: boolean] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'boolean';

type Document = { html: string; classification: Pick<PrintRequest['classification'], 'scripts' | 'external'> };

const mayUseFonts = ({ html, classification: { scripts, external } }: Document): boolean =>
  scripts || external || /font-face|\\/i.test(html);

/**
 * Warnings about fonts whose files the browser cannot read, for example because they are truncated or another kind of
 * file. `reported` are those about resources that could not be fetched, which may be the files of the same fonts.
 */
export const failedFontWarnings = async (
  session: Session,
  request: Document,
  reported: readonly RenderWarning[] = [],
): Promise<RenderWarning[]> => {
  if (!mayUseFonts(request)) return [];
  const value = await evaluateIfPossible(session, failedFontsExpression);
  const failed = (Array.isArray(value) ? value : []).filter(isFailedFont);
  return failed
    .filter(([, isEmbedded]) => isEmbedded || (request.classification.external && reported.length === 0))
    .map(([family]) => ({
      kind: 'resource_failed',
      url: `@font-face ${family}`.toWellFormed(),
      reason: 'the browser can read none of the font files that it names; another font is printed',
    }));
};
