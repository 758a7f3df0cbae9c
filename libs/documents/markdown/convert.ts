import { escapeMarkup } from '#libs/markup/escape.ts';
import type { Token } from 'markdown-it';
import type { ApiError } from '#contracts/http/api-error.ts';
import type { DocumentMetadata } from '#contracts/http/pdf-metadata.ts';
import { mergeRenderOptions, type NamedRenderOptions, renderOptions } from '#contracts/http/render-options.ts';
import { textWidthMm } from '#libs/chromium/pdf/text-width.ts';
import type { AssetInliner } from '../assets/inline.ts';
import { withBaseUrl } from '../html/base-url.ts';
import { classify, type HtmlDetails } from '../html/classify.ts';
import { checkImages, missingResources, warningsOfIgnoredFeatures, warningsOfImages } from '../html/convert.ts';
import { htmlDocument } from '../html-document.ts';
import { metadataLine, metadataMember } from '../html/meta-elements.ts';
import { languageOf } from '../language/detect.ts';
import { convertedDocument, type PreparedDocument } from '../prepared-document.ts';
import { type ConversionContext, inputError } from '../input.ts';
import { type Metadata, readFrontMatter } from './front-matter.ts';
import { leftOutOf } from './left-out.ts';
import { mathErrorsOf } from './math.ts';
import { titleFromFileName } from '../title.ts';
import { markdownParser, titleOf } from './parser.ts';
import { fitTables } from './wide-tables.ts';

/** The width of the text, which the document can change by options of its own. */
const textWidthOf = (context: ConversionContext | undefined, options: NamedRenderOptions): number | undefined =>
  Object.keys(options).length === 0
    ? context?.textWidthMm
    : textWidthMm(renderOptions.parse(mergeRenderOptions(options, context?.namedOptions ?? {})));

/**
 * Refuses code fences and HTML comments that are never closed, because they would contain all the rest.
 * @throws ApiError with the line
 */
const checkClosed = (tokens: readonly Token[]): void => {
  for (const token of tokens) {
    const line = (token.map?.[0] ?? 0) + 1;
    if (isOpenFence(token)) throw unclosedError(`a code fence (${token.markup})`, line);
    if (token.type === 'html_block' && endsInComment(token.content))
      throw unclosedError('an HTML comment (<!--)', line + lineOfComment(token.content));
  }
};

/** A code fence in a list or quotation ends with it, so only one at the outermost level is refused. */
const isOpenFence = ({ type, level, map, content, markup }: Token): boolean => {
  if (type !== 'fence' || level !== 0 || !map) return false;
  const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
  const lineCount = map[1] - map[0] - 1;
  return lineCount <= lines && markup !== '';
};

const endsInComment = (html: string): boolean => html.lastIndexOf('<!--') > html.lastIndexOf('-->');

const lineOfComment = (html: string): number => html.slice(0, html.lastIndexOf('<!--')).split('\n').length - 1;

const unclosedError = (what: string, line: number): ApiError =>
  inputError(
    'markdown',
    `The Markdown opens ${what} on line ${line} and never closes it; everything after that would be part of it.`,
    { details: `${what} is not closed`, line },
  );

/** The line of the last piece of HTML, where an unfinished tag or element must be. */
const lineOfLastHtml = (tokens: readonly Token[]): number => {
  const htmlBlock = tokens.findLast(
    ({ type, children }) => type === 'html_block' || children?.some((child) => child.type === 'html_inline'),
  );
  return (htmlBlock?.map?.[0] ?? 0) + 1;
};

/** Images with the line of their paragraph, which those in HTML do not have. */
const withLines = (details: HtmlDetails, tokens: readonly Token[]): HtmlDetails => {
  const lines = new Map<string, number>();
  for (const { map, children } of tokens.toReversed())
    for (const child of children ?? [])
      if (map && child.type === 'image') lines.set(String(child.attrGet('src')), map[0] + 1);
  const { images, brokenImage, truncatedImages } = details;
  return {
    ...details,
    images: images.map(({ url }) => ({ url, line: lines.get(url) })),
    brokenImage: brokenImage && { ...brokenImage, line: lines.get(brokenImage.url) },
    truncatedImages: truncatedImages.map((image) => ({ ...image, line: lines.get(image.url) })),
  };
};

const hasTitleHeading = (tokens: readonly Token[]): boolean =>
  tokens.some(({ type, tag }) => type === 'heading_open' && tag === 'h1');

/** The front matter as metadata of the PDF, whose lines have no control characters. */
const documentMetadataOf = ({ authors, subject, keywords }: Metadata): DocumentMetadata => ({
  authors: authors.map(metadataLine),
  keywords: keywords.map(metadataLine),
  ...(subject !== undefined && { subject: metadataLine(subject) }),
});

/** Title, authors and date of the front matter, for a document without a heading of level 1. */
const titleBlock = ({ title, subtitle, authors, date }: Metadata): string => {
  if (!title) return '';
  const byline = [authors.join(', '), date ?? ''].filter(Boolean).join(' · ');
  return [
    '<header class="title-block">',
    `<h1>${escapeMarkup(title)}</h1>`,
    ...(subtitle ? [`<p class="subtitle">${escapeMarkup(subtitle)}</p>`] : []),
    ...(byline ? [`<p class="byline">${escapeMarkup(byline)}</p>`] : []),
    '</header>\n',
  ].join('\n');
};

/** Converts Markdown. HTML in it decides the render mode as in an HTML document. @throws ApiError */
export const convertMarkdown = (
  text: string,
  maxImages: number | null,
  context?: ConversionContext & { assets?: AssetInliner },
): PreparedDocument => {
  const { metadata, options, warnings: ofFrontMatter, markdown } = readFrontMatter(text);
  const language = metadata.language ?? languageOf(markdown, context);
  const parser = markdownParser(language);
  const environment = { contents: metadata.contents };
  const tokens = parser.parse(markdown, environment);
  checkClosed(tokens);
  const fitted = fitTables(tokens, textWidthOf(context, options), language);
  const content = parser.renderer.render(fitted.tokens, parser.options, environment);
  const rendered = withBaseUrl((hasTitleHeading(tokens) ? '' : titleBlock(metadata)) + content, context?.baseUrl);
  const body = context?.assets?.inline(rendered) ?? rendered;
  const classified = classify(body);
  const { classification, details } = classified;
  if (details.unfinished) throw unfinishedHtmlError(details.unfinished.inside, tokens);
  const detailsWithLines = withLines(details, tokens);
  checkImages(detailsWithLines, maxImages, undefined, context?.assets);
  const html = htmlDocument({
    title: metadata.title ?? titleOf(tokens) ?? titleFromFileName(context?.fileName) ?? 'Document',
    metadata,
    language,
    styleSheets: [
      'prose',
      'code',
      ...(body.includes('<math') ? (['math'] as const) : []),
      ...(fitted.isWide ? (['table'] as const) : []),
    ],
    body,
  });
  const ofFormulas = mathErrorsOf(environment).map((error) => ({ kind: 'invalid_formula' as const, ...error }));
  const ofHtml = [
    ...warningsOfImages(detailsWithLines.truncatedImages),
    ...warningsOfIgnoredFeatures(rendered, body, classified),
  ];
  const warnings = [...ofFrontMatter, ...ofFormulas, ...leftOutOf(environment), ...ofHtml];
  return {
    ...convertedDocument(html, classification),
    ...(!context?.assets && missingResources(body, classified)),
    ...metadataMember(documentMetadataOf(metadata)),
    ...(Object.keys(options).length > 0 && { options }),
    ...(warnings.length > 0 && { warnings }),
  };
};

const unfinishedHtmlError = (construct: string, tokens: readonly Token[]) => {
  const line = lineOfLastHtml(tokens);
  return inputError(
    'markdown',
    `HTML in the Markdown, on line ${line} or before, ends inside ${construct}; everything after that would be lost.`,
    { details: `unfinished: ${construct}`, line },
  );
};
