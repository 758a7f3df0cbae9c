import { type RenderOptions, renderOptions } from '#contracts/http/render-options.ts';
import { cssPixels, sheetOf } from './print-options.ts';

/** In CSS pixels. */
export type WindowSize = { width: number; height: number };

/** The window that is as large as the room for text on the paper. */
export const windowFor = (options: RenderOptions): WindowSize => {
  const sheet = sheetOf(options);
  const pixels = (millimetres: number) => Math.max(1, Math.round(cssPixels(millimetres) / options.scale));
  return { width: pixels(sheet.width - options.margin_left - options.margin_right), height: pixels(sheet.height - options.margin_top - options.margin_bottom) };
};

/** That of a document without wishes; pages are made ready with it. */
export const usualWindow = windowFor(renderOptions.parse({}));
