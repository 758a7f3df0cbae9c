import { sectionsToHtml } from '../data/sections.ts';
import { htmlDocument } from '../html-document.ts';
import type { ConversionContext } from '../input.ts';
import { languageOf } from '../language/detect.ts';
import { scriptFreeDocument, type PreparedDocument } from '../prepared-document.ts';
import { titleFromFileName } from '../title.ts';
import { type JsonValue, parseJson } from './parse.ts';
import { treeToHtml } from './tree.ts';

/** The only key of an object, as in `{"orders": [...]}`. */
const rootName = (value: JsonValue): string | undefined =>
  value.type === 'object' && value.entries.length === 1 ? value.entries[0]![0].trim() || undefined : undefined;

/** Converts JSON: arrays of objects to tables, anything else to a tree. @throws ApiError */
export const convertJson = (
  text: string,
  _maxImages?: number | null,
  context?: ConversionContext,
): PreparedDocument => {
  const value = parseJson(text);
  const { textWidthMm, fileName } = context ?? {};
  const language = languageOf(text, context);
  const page = { textWidthMm, language };
  const asTree = (inner: JsonValue): string => treeToHtml(inner, page);
  return scriptFreeDocument(
    htmlDocument({
      title: titleFromFileName(fileName) ?? rootName(value) ?? 'JSON',
      language,
      styleSheets: ['table', 'tree'],
      body: sectionsToHtml(value, { page, treeToHtml: asTree }) ?? asTree(value),
    }),
    'made from JSON',
  );
};
