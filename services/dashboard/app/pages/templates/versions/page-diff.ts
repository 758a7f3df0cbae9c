/** The image of a page: four bytes for each pixel, as ImageData has them. */
export type PageImage = { width: number; height: number; data: Uint8ClampedArray };

/** `marked` is the newer image with its changed pixels in `markColour`; `share` is their share from 0 to 1. */
export type PageDiff = { share: number; marked: PageImage };

/** Differences below are edges that were drawn a fraction of a pixel beside. */
const tolerance = 48;
/** What has not changed is paler, so that the marks are seen. */
const paleness = 0.55;
const markColour = [214, 40, 120] as const;

const colourAt = ({ width, height, data }: PageImage, x: number, y: number): readonly [number, number, number] => {
  if (x >= width || y >= height) return [255, 255, 255];
  const at = (y * width + x) * 4;
  return [data[at]!, data[at + 1]!, data[at + 2]!];
};

/** Compares two images pixel by pixel. What lies outside of one of them counts as white. */
export const comparePages = (older: PageImage, newer: PageImage): PageDiff => {
  const [width, height] = [Math.max(older.width, newer.width), Math.max(older.height, newer.height)];
  const data = new Uint8ClampedArray(width * height * 4);
  let changed = 0;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [before, after] = [colourAt(older, x, y), colourAt(newer, x, y)];
      const difference =
        Math.abs(before[0] - after[0]) + Math.abs(before[1] - after[1]) + Math.abs(before[2] - after[2]);
      const isChanged = difference > tolerance;
      if (isChanged) changed += 1;
      const at = (y * width + x) * 4;
      for (let channel = 0; channel < 3; channel += 1)
        data[at + channel] = isChanged ? markColour[channel]! : 255 - (255 - after[channel]!) * (1 - paleness);
      data[at + 3] = 255;
    }
  return { share: width * height === 0 ? 0 : changed / (width * height), marked: { width, height, data } };
};
