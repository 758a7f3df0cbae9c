import type { NamedRenderOptions } from './render-options.ts';

/** The options that say how the browser prints a document: its pages, margins, header and footer, and what to wait for. */
export const printOptionNames = [
  'page_size',
  'width',
  'height',
  'orientation',
  'margin_top',
  'margin_bottom',
  'margin_left',
  'margin_right',
  'prefer_css_page_size',
  'header_html',
  'footer_html',
  'header_height',
  'footer_height',
  'print_background',
  'scale',
  'wait_for',
  'wait_time',
  'emulate_media',
] as const satisfies readonly (keyof NamedRenderOptions)[];
