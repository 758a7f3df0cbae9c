import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { findIgnoredFeatures, mentionsPagedMediaScript, withoutOwnCounters } from '#libs/documents/html/ignored-css.ts';
import { mayApplyToPrint } from '#libs/documents/html/page-rule.ts';
import type { Session } from '../cdp/connection.ts';
import { evaluateIfPossible } from './evaluate.ts';

export type LoadedStyleSheets = {
  /** Warnings about CSS of the loaded style sheets that has no effect. `html` is the document. */
  findIgnored(html: string, scripts: 'on' | 'off'): Promise<RenderWarning[]>;
};

const maxSheets = 20;
/** Of all that are read, together and uncompressed. They are read in this process, where more would block others. */
const maxCharacters = 500_000;

const linkedSheets = `[...document.styleSheets]
  .filter(({ href, disabled, ownerNode }) => href && !disabled && !/\\balternate\\b/i.test(ownerNode?.rel))
  .slice(0, ${maxSheets})
  .map(({ href, media }) => [href.split('#', 1)[0].slice(0, 2000), media.mediaText.slice(0, 200)])`;

const textOf = async (session: Session, requestId: string): Promise<string> => {
  try {
    const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
    return base64Encoded ? Buffer.from(body, 'base64').toString() : body;
  } catch {
    // The browser has not kept it.
    return '';
  }
};

type Request = { url: string; length: number; isLoaded: boolean };

/** Tracks the style sheets that a sent document loads from public URLs. The Network domain of the session must be enabled. */
export const trackStyleSheets = (session: Session): LoadedStyleSheets => {
  const requests = new Map<string, Request>();
  session.on('Network.requestWillBeSent', ({ requestId, type, request: { url }, redirectResponse }) => {
    // After a redirect, the sheet has the URL of the document.
    if (type === 'Stylesheet' && !redirectResponse && /^https?:/i.test(url) && requests.size < maxSheets)
      requests.set(requestId, { url, length: 0, isLoaded: false });
  });
  session.on('Network.responseReceived', ({ requestId, response: { status } }) => {
    if (status >= 400) requests.delete(requestId);
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const request = requests.get(requestId);
    if (request) request.length += dataLength;
  });
  session.on('Network.loadingFinished', ({ requestId }) => {
    const request = requests.get(requestId);
    if (request) request.isLoaded = true;
  });
  /** The ids of the requests of style sheets that apply to print, as many as are read. */
  const findRead = async (): Promise<string[]> => {
    const value = await evaluateIfPossible(session, linkedSheets);
    const linked = (Array.isArray(value) ? value : []).filter((each): each is unknown[] => Array.isArray(each));
    const printed = new Set(linked.flatMap(([url, media]) => (mayApplyToPrint(String(media)) ? [String(url)] : [])));
    let length = 0;
    return [...requests].flatMap(([requestId, request]) => {
      if (!request.isLoaded || !printed.has(request.url) || length + request.length > maxCharacters) return [];
      length += request.length;
      return [requestId];
    });
  };
  return {
    findIgnored: async (html, scripts) => {
      if (requests.size === 0 || (scripts === 'on' && mentionsPagedMediaScript(html))) return [];
      const texts = await Promise.all((await findRead()).map((requestId) => textOf(session, requestId)));
      const ignored = withoutOwnCounters(
        texts.flatMap((css) => findIgnoredFeatures(css)),
        [html, ...texts].join('\n'),
      );
      return [...new Map(ignored.map((one) => [one.feature, { kind: 'feature_ignored' as const, ...one }])).values()];
    },
  };
};
