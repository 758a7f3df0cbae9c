import { escapeMarkup } from '#libs/markup/escape.ts';
import { readImageData } from '#contracts/http/image-data.ts';
import { toMillimetres } from '#contracts/http/lengths.ts';
import type { WatermarkOption } from '#contracts/http/watermark.ts';
import type { PageSize } from '#libs/pdf/stamp.ts';

/** A page of the stamps: a size in points, and what is on it. */
export type StampPage = { size: PageSize; html: string };

export const toPoints = (millimetres: number): number => (millimetres * 72) / 25.4;

/** Within these, a text has the size for which it fits on its lines. */
const defaultFontSize = { min: 12, max: 140 };
/** In points; less on small pages. */
const maxPadding = 24;

const mediaTypes = { png: 'image/png', jpeg: 'image/jpeg', svg: 'image/svg+xml' } as const;

const imageHtml = (image: string, width: number): string => {
  const { format, base64 } = readImageData(image)!;
  return `<img alt="" style="width:${width}pt" src="data:${mediaTypes[format]};base64,${base64}">`;
};

/** The page of a watermark, which `fitWatermarks` turns, fits and places: only the browser knows how large it is. */
export const watermarkPage = (
  { text, image, opacity, rotation, position, font_size: fontSize, color, width }: WatermarkOption,
  size: PageSize,
): StampPage => {
  const content =
    image === undefined
      ? `<div dir="auto" style="font-size:${fontSize ?? defaultFontSize.max}pt;color:${color}">${escapeMarkup(text!)}</div>`
      : imageHtml(image, width === undefined ? size.width / 2 : toPoints(toMillimetres(width)));
  const degrees = rotation ?? (image === undefined ? 45 : 0);
  const data = `data-degrees="${degrees}" data-position="${position}"`;
  const isFixed = fontSize !== undefined || width !== undefined ? ' data-fixed' : '';
  return { size, html: `<div class="watermark" style="opacity:${opacity}" ${data}${isFixed}>${content}</div>` };
};

export const watermarkStyles =
  `.watermark{position:relative;height:100%;text-align:center}.watermark>*{position:absolute;left:0;top:0}` +
  `.watermark>div{width:max-content;white-space:pre;overflow-wrap:anywhere;font-weight:bold;line-height:1.2}`;

/**
 * Runs in the page of the stamps. What is fitted and placed is the rectangle around the turned watermark. A text is
 * wrapped if its lines do not fit, and a size of the request stays as it is.
 */
export const fitWatermarks = String.raw`(() => {
  const fontSize = { min: ${defaultFontSize.min}, max: ${defaultFontSize.max} };
  for (const frame of document.querySelectorAll('.watermark')) {
    const content = frame.firstElementChild;
    const isFixed = 'fixed' in frame.dataset;
    const radians = frame.dataset.degrees * Math.PI / 180;
    const [along, across] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
    const page = frame.getBoundingClientRect();
    const padding = Math.min(${maxPadding} * 96 / 72, 0.1 * page.width, 0.1 * page.height);
    const turned = () => {
      const { width, height } = content.getBoundingClientRect();
      return { width: width * along + height * across, height: width * across + height * along };
    };
    /** By how much it may grow; less than 1 if it is too large. A fixed one may go to the edges. */
    const room = () => {
      const { width, height } = turned();
      const free = isFixed ? 0 : 2 * padding;
      return Math.min((page.width - free) / width, (page.height - free) / height);
    };
    const isTooLarge = () => room() < 0.99;
    if (content.tagName === 'IMG') {
      if (!isFixed && isTooLarge()) content.style.width = parseFloat(content.style.width) * room() + 'pt';
    } else {
      let size = parseFloat(content.style.fontSize);
      const setSize = (points) => content.style.fontSize = (size = points) + 'pt';
      if (!isFixed) setSize(Math.min(fontSize.max, Math.max(fontSize.min, Math.floor(size * room()))));
      if (isTooLarge()) {
        const lineLength = 0.85 * Math.min(page.width / Math.max(along, 0.01), page.height / Math.max(across, 0.01));
        // In em, so that a smaller size has the same lines.
        content.style.maxWidth = lineLength * 72 / 96 / size + 'em';
        content.style.whiteSpace = 'pre-wrap';
        if (!isFixed && isTooLarge()) setSize(size * room());
      }
    }
    const box = content.getBoundingClientRect();
    const { width, height } = turned();
    const start = (all, own, first, last) => {
      const edge = Math.max(0, Math.min(padding, (all - own) / 2));
      const { position } = frame.dataset;
      return position.includes(first) ? edge : position.includes(last) ? all - own - edge : (all - own) / 2;
    };
    content.style.left = start(page.width, width, 'left', 'right') + (width - box.width) / 2 + 'px';
    content.style.top = start(page.height, height, 'top', 'bottom') + (height - box.height) / 2 + 'px';
    content.style.transform = 'rotate(' + -frame.dataset.degrees + 'deg)';
  }
})()`;
