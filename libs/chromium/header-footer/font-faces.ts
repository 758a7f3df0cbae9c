import { marginSides } from '#contracts/http/render-options.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { evaluateIfPossible } from '../document/evaluate.ts';
import { failedFontWarnings } from '../document/failed-fonts.ts';
import { stabilise } from '../document/stabilise.ts';
import type { Page } from '../browsers/page.ts';
import type { HeaderFooterContent } from './parse.ts';

/** Runs in the page: the families of `@font-face` whose fonts did not fail to load. A script can make them any value. */
export const fontFamiliesExpression = String.raw`(() => {
  try {
    const loaded = [...document.fonts].filter(({ status }) => status !== 'error');
    const families = new Set(loaded.map(({ family }) => String(family).replace(/^(["'])(.*)\1$/, '$2')));
    return [...families].filter((family) => family !== '' && family.length <= 100).slice(0, 100);
  } catch {
    return [];
  }
})()`;

/** Runs in the page: the rules of these families whose fonts need no network. */
const fontFacesExpression = (families: string[]): string => String.raw`((families) => {
  const found = [];
  const collect = (sheet) => {
    try {
      for (const rule of sheet.cssRules) {
        if (rule.type !== CSSRule.FONT_FACE_RULE) {
          if (rule.styleSheet ?? rule.cssRules) collect(rule.styleSheet ?? rule);
          continue;
        }
        const { fontFamily, src } = rule.style;
        const family = fontFamily.replace(/^(["'])(.*)\1$/, '$2');
        if (families.includes(family) && /url\(["']?data:|local\(/i.test(src)) found.push([family, String(rule.cssText)]);
      }
    } catch {}
  };
  for (const sheet of document.styleSheets) collect(sheet);
  return found;
})(${JSON.stringify(families)})`;

/** The `@font-face` rules that a header or footer needs, and the families whose fonts it cannot have. */
export type FontFaces = { css: string; unavailable: string[] };

const fontDeclarations = (html: string): string[] =>
  html
    .replaceAll(/data:[^"')]*/g, '')
    .replaceAll('&quot;', '"')
    .match(/(?:font|--)[\w-]*\s*[:=][^;}<>]*/gi) ?? [];

const maxCssLength = 16 * 2 ** 20;

/**
 * The `@font-face` rules of the document for the families that header and footer name or that its body has (`fonts`).
 * Headers and footers are printed without network, so the rules are those with installed fonts and data: URLs.
 */
export const readFontFaces = async (
  { session }: Page,
  families: string[],
  fonts: string,
  contents: HeaderFooterContent[],
): Promise<FontFaces> => {
  const named = [fonts, ...contents.flatMap(({ html }) => fontDeclarations(html))].join(' ').toLowerCase();
  const used = families.filter((family) => named.includes(family.toLowerCase()));
  if (used.length === 0) return { css: '', unavailable: [] };
  const value = await evaluateIfPossible(session, fontFacesExpression(used));
  const found = Array.isArray(value) ? (value as [family: string, css: string][]) : [];
  const css = found.map(([, rule]) => rule.replaceAll('<', String.raw`\3c `)).join('');
  if (css.length > maxCssLength) return { css: '', unavailable: used };
  return { css, unavailable: used.filter((family) => !found.some(([name]) => name === family)) };
};

export const namesFontFaces = (html: string): boolean => /@font-face/i.test(html);

/** Waits for the fonts of a page with headers and footers; a page without `@font-face` has none to wait for. */
export const waitForFontFaces = async ({ session }: Page, html: string): Promise<RenderWarning[]> => {
  if (!namesFontFaces(html)) return [];
  await stabilise(session, { css_page: { size: true, margins: [...marginSides] } });
  return failedFontWarnings(session, { html, classification: { scripts: false, external: false } });
};
