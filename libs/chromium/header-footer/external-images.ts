import type { DefaultTreeAdapterTypes as Dom } from 'parse5';
import { ApiError } from '#contracts/http/api-error.ts';
import { unlimitedBudget } from '#libs/documents/budget.ts';
import { findCssResources, isLocalUrl } from '#libs/documents/html/css-resources.ts';
import { dataImageProblem } from '#libs/documents/html/data-images.ts';
import { findElementResources, parseSrcset } from '#libs/documents/html/element-resources.ts';
import { marksIn } from './marks.ts';
import { childrenOf, isElement, textContent } from './nodes.ts';

/** Of an image with external candidates, only one is fetched: its `src`, or else the first of them. */
export const withoutExternalCandidates = ({ tagName, attrs }: Dom.Element) => {
  const isImage = tagName === 'img' || tagName === 'source';
  const srcset = (isImage && attrs.find(({ name }) => name === 'srcset')?.value) || '';
  const external = parseSrcset(srcset).find(({ url }) => !isLocalUrl(url));
  // A placeholder in it is an error.
  if (!external || marksIn(srcset).length > 0) return attrs;
  const others = attrs.filter(({ name }) => name !== 'srcset');
  const needsSource = tagName === 'img' && !others.some(({ name, value }) => name === 'src' && value.trim() !== '');
  return needsSource ? [...others.filter(({ name }) => name !== 'src'), { name: 'src', value: external.url }] : others;
};

const notAbsolute =
  'its URL is neither a valid absolute http: or https: URL nor a data: URI; use one of these, or send the image as a part ' +
  '"assets" of a form (multipart/form-data)';
const notAnElement =
  'in a header or footer, only the src of an img element is fetched; use one, or a data: URI, or send the image as a ' +
  'part "assets" of a form (multipart/form-data)';
const unloadableImage = (field: string, url: string, reason: string): ApiError =>
  ApiError.of('image_load_failed', `The image "${url}" in ${field} cannot be loaded: ${reason}.`, {
    image_url: url,
    reason,
  });

/** The images that are not the `src` of an `img`. The template of the browser does not fetch them. */
const otherImages = (node: Dom.Element): string[] =>
  node.tagName === 'style'
    ? findCssResources(textContent(node), 'stylesheet', unlimitedBudget).images
    : (findElementResources(
        node.tagName,
        node.attrs.filter(({ name }) => node.tagName !== 'img' || name !== 'src'),
        unlimitedBudget,
      )?.images ?? []);

/** @throws ApiError image_load_failed if an element shows an image that is not fetched */
export const requireNoOtherImages = (node: Dom.Element, field: string): void => {
  const [url] = otherImages(node);
  if (url !== undefined) throw unloadableImage(field, url.slice(0, 300), notAnElement);
};

/**
 * The images to fetch. Their URLs are normalised in the nodes, too. `field` is the option for messages.
 * @throws ApiError image_load_failed if one can never load
 */
export const externalImages = (nodes: Dom.ChildNode[], field: string): string[] =>
  nodes.filter(isElement).flatMap((node) => {
    requireNoOtherImages(node, field);
    const attribute = node.tagName === 'img' ? node.attrs.find(({ name }) => name === 'src') : undefined;
    const source = attribute?.value;
    const inner = externalImages(childrenOf(node), field);
    if (!attribute || !source?.trim()) return inner;
    const hasOtherSource = node.attrs.some(({ name }) => name === 'srcset');
    const problem = hasOtherSource ? undefined : dataImageProblem(source);
    if (problem !== undefined) throw unloadableImage(field, source.slice(0, 60), problem);
    if (/^\s*(?:data:|#)/i.test(source)) return inner;
    const url = URL.parse(source);
    if (!url || !/^https?:$/.test(url.protocol)) throw unloadableImage(field, source.slice(0, 300), notAbsolute);
    attribute.value = url.href;
    return [url.href, ...inner];
  });
