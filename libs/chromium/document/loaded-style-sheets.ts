import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { findIgnoredFeatures, mentionsPagedMediaScript, withoutOwnCounters } from '#libs/documents/html/ignored-css.ts';
import { mayApplyToPrint } from '#libs/documents/html/page-rule.ts';
import type { Session } from '../cdp/connection.ts';
import { evaluate } from './evaluate.ts';

export type LoadedStyleSheets = {
  /** Warnings about CSS of the loaded style sheets that has no effect. `html` is the document. */
  findIgnored(html: string): Promise<RenderWarning[]>;
};

/** More and larger ones are not read. */
const maxSheets = 20;
const maxSheetBytes = 500_000;

const linkedSheets = `[...document.styleSheets].filter((sheet) => sheet.href).slice(0, ${maxSheets})
  .map((sheet) => [sheet.href.slice(0, 2000), sheet.media.mediaText.slice(0, 200)])`;

const textOf = async (session: Session, requestId: string): Promise<string> => {
  try {
    const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
    return base64Encoded ? Buffer.from(body, 'base64').toString() : body;
  } catch {
    // The browser no longer has the response.
    return '';
  }
};

/** Tracks the style sheets that a document loads from public URLs. The Network domain of the session must be enabled. */
export const trackStyleSheets = (session: Session): LoadedStyleSheets => {
  const urls = new Map<string, string>();
  const loaded = new Map<string, string>();
  session.on('Network.responseReceived', ({ requestId, type, response: { url, status } }) => {
    if (type === 'Stylesheet' && status < 400 && /^https?:/i.test(url) && urls.size < maxSheets)
      urls.set(requestId, url);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId);
    if (url !== undefined && encodedDataLength <= maxSheetBytes) loaded.set(url, requestId);
  });
  return {
    findIgnored: async (html) => {
      if (loaded.size === 0 || mentionsPagedMediaScript(html)) return [];
      const value = await evaluate(session, linkedSheets);
      const linked = (Array.isArray(value) ? value : []).map((each: unknown[]) => each.map(String));
      const requestIds = linked.flatMap(([url = '', media = '']) =>
        mayApplyToPrint(media) ? (loaded.get(url) ?? []) : [],
      );
      const texts = await Promise.all(requestIds.map((requestId) => textOf(session, requestId)));
      const ignored = withoutOwnCounters(
        texts.flatMap((css) => findIgnoredFeatures(css)),
        [html, ...texts].join('\n'),
      );
      return [...new Map(ignored.map((one) => [one.feature, { kind: 'feature_ignored' as const, ...one }])).values()];
    },
  };
};
