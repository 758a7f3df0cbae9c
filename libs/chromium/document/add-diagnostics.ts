import type { FontUse, MissingFont, PrintDiagnostics } from '../print-request.ts';
import { maxMessages } from './console.ts';
import { maxFonts } from './fonts-used.ts';

type Fonts = NonNullable<PrintDiagnostics['fonts']>;

const addUses = (uses: readonly FontUse[], more: readonly FontUse[]): FontUse[] => {
  const byFont = Map.groupBy([...uses, ...more], ({ family, embedded }) => `${family} ${embedded}`);
  return [...byFont.values()]
    .map((same) => ({ ...same[0]!, glyphs: same.reduce((sum, { glyphs }) => sum + glyphs, 0) }))
    .toSorted((a, b) => b.glyphs - a.glyphs)
    .slice(0, maxFonts);
};

const addMissing = (missing: readonly MissingFont[], more: readonly MissingFont[]): MissingFont[] =>
  [...Map.groupBy([...missing, ...more], ({ family }) => family)].slice(0, maxFonts).map(([family, same]) => ({
    family,
    substitutes: [...new Set(same.flatMap(({ substitutes }) => substitutes))],
    metric_compatible: same.every((one) => one.metric_compatible),
  }));

const addFonts = (fonts: Fonts, { used, missing }: Fonts): Fonts => ({
  used: addUses(fonts.used, used),
  missing: addMissing(fonts.missing, missing),
});

/** Adds the diagnostics of one part of a document to those of the parts before. The limits are those of one part. */
export const addDiagnostics = (all: PrintDiagnostics, { console, omittedMessages, fonts }: PrintDiagnostics): void => {
  const shown = console.slice(0, maxMessages - all.console.length);
  all.console.push(...shown);
  all.omittedMessages += omittedMessages + console.length - shown.length;
  all.fonts = all.fonts && fonts ? addFonts(all.fonts, fonts) : (fonts ?? all.fonts);
};
