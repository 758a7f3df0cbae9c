import type { InputType } from './render.ts';

/** The input type of a document by the extension of its name, in lower case. */
export const inputTypesByExtension: Readonly<Record<string, Exclude<InputType, 'url'>>> = {
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  md: 'markdown',
  markdown: 'markdown',
  mdown: 'markdown',
  mkd: 'markdown',
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  json: 'json',
  geojson: 'json',
  xml: 'xml',
  docx: 'docx',
  docm: 'docx',
  odt: 'odt',
  rtf: 'rtf',
  doc: 'doc',
  xlsx: 'xlsx',
  pptx: 'pptx',
};
