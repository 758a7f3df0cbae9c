import { decodeUnicode } from '../assets/media-type.ts';
import { decodeBody, splitDataUrl } from './data-images.ts';

type Attributes = ReadonlyMap<string, string>;

/** Whether a link element refers to a style sheet that applies. */
export const linksStyleSheet = (attributes: Attributes): boolean => {
  const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
  const type = attributes.get('type')?.trim().toLowerCase() || 'text/css';
  return (
    relations.includes('stylesheet') &&
    !relations.includes('alternate') &&
    type === 'text/css' &&
    !attributes.has('disabled')
  );
};

/** The style sheet in the data: URL of a link element, without the fragment of the URL; undefined for another link. */
export const styleSheetInLink = (attributes: Attributes): string | undefined => {
  const parts = splitDataUrl(attributes.get('href') ?? '');
  if (!parts || !/^text\/css\s*(?:;|$)/i.test(parts.parameters.trim()) || !linksStyleSheet(attributes))
    return undefined;
  return decodeUnicode(decodeBody(/^[^#]*/.exec(parts.body)![0], parts.isBase64));
};
