import type { Protocol } from 'devtools-protocol';
import type { Session } from '../cdp/connection.ts';
import { evaluateIfPossible } from './evaluate.ts';
import { hasSameWidths } from '../fonts/substitutes.ts';
import type { PrintDiagnostics, MissingFont, FontUse } from '../print-request.ts';

const maxElements = 1_000;
/** How many fonts are reported, used and missing each. */
export const maxFonts = 50;

const genericFamilies = new Set([
  'serif',
  'sans-serif',
  'monospace',
  'cursive',
  'fantasy',
  'system-ui',
  'ui-serif',
  'ui-sans-serif',
  'ui-monospace',
  'ui-rounded',
  'emoji',
  'math',
  'fangsong',
  '-apple-system',
  'blinkmacsystemfont',
]);

/**
 * The browser's default font, used if a document names none; it is never reported as missing. Letter case does not
 * matter to the browser, and no document writes the name like this.
 */
const defaultFamily = 'tImEs New Roman';

/** Before the document is loaded: makes a default font known from the same one that the document names. */
export const nameDefaultFont = (session: Session): Promise<unknown> =>
  session.send('Page.setFontFamilies', { fontFamilies: { standard: defaultFamily } });

type TextElement = { backendNodeId: number; firstChoice: string };

const unquoted = (family: string): string => family.trim().replace(/^(["'])(.*)\1$/, '$2');
const firstFamily = (families: string): string =>
  unquoted(families) === defaultFamily ? '' : unquoted(/^\s*(?:"[^"]*"|'[^']*'|[^,]*)/.exec(families)?.[0] ?? '');

const findTextElements = ({
  documents: [document],
  strings,
}: Protocol.DOMSnapshot.CaptureSnapshotResponse): TextElement[] => {
  const {
    nodes: { parentIndex = [], backendNodeId = [] },
    layout,
  } = document!;
  const found = new Map<number, TextElement>();
  layout.nodeIndex.forEach((node, index) => {
    const text = strings[layout.text[index] ?? -1];
    const parent = parentIndex[node];
    if (!text?.trim() || parent === undefined || found.size === maxElements) return;
    found.set(parent, {
      backendNodeId: backendNodeId[parent]!,
      firstChoice: firstFamily(strings[layout.styles[index]?.[0] ?? -1] ?? ''),
    });
  });
  return [...found.values()];
};

/** The font families that the document supplies and that are loaded. The document's scripts can make this any value. */
const readLoadedFontFaces = async (session: Session): Promise<Set<string>> => {
  const expression = `[...document.fonts].filter((face) => face.status === 'loaded').map((face) => face.family)`;
  const families = await evaluateIfPossible(session, expression);
  return new Set(Array.isArray(families) ? families.map((family) => unquoted(String(family)).toLowerCase()) : []);
};

const addUse = (
  uses: Map<string, FontUse>,
  { familyName: family, isCustomFont: embedded, glyphCount }: Protocol.CSS.PlatformFontUsage,
): void => {
  const key = `${family} ${embedded}`;
  const known = uses.get(key);
  uses.set(key, { family, embedded, glyphs: (known?.glyphs ?? 0) + glyphCount });
};

/**
 * Finds the fonts used for the text of a page, and the first choices that were missing. Writes them into `diagnostics`.
 * Reads the first 1,000 elements with text.
 */
export const collectFonts = async (session: Session, diagnostics: PrintDiagnostics): Promise<void> => {
  const texts = findTextElements(
    await session.send('DOMSnapshot.captureSnapshot', { computedStyles: ['font-family'] }),
  );
  await session.send('DOM.enable', {});
  await session.send('CSS.enable');
  await session.send('DOM.getDocument', { depth: 0 });
  const [{ nodeIds }, loadedFamilies] = await Promise.all([
    session.send('DOM.pushNodesByBackendIdsToFrontend', {
      backendNodeIds: texts.map(({ backendNodeId }) => backendNodeId),
    }),
    readLoadedFontFaces(session),
  ]);
  const uses = new Map<string, FontUse>();
  const missing = new Map<string, Set<string>>();
  for (const [index, nodeId] of nodeIds.entries()) {
    const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
    for (const font of fonts) addUse(uses, font);
    const { firstChoice } = texts[index]!;
    const firstFamilyName = firstChoice.toLowerCase();
    const isAvailable = fonts.some(
      ({ familyName, isCustomFont }) =>
        familyName.toLowerCase() === firstFamilyName || (isCustomFont && loadedFamilies.has(firstFamilyName)),
    );
    if (isAvailable || fonts.length === 0 || firstFamilyName === '' || genericFamilies.has(firstFamilyName)) continue;
    missing.set(
      firstChoice,
      new Set([...(missing.get(firstChoice) ?? []), ...fonts.map(({ familyName }) => familyName)]),
    );
  }
  diagnostics.fonts = {
    used: [...uses.values()].toSorted((a, b) => b.glyphs - a.glyphs).slice(0, maxFonts),
    missing: [...missing].slice(0, maxFonts).map(([family, substitutes]): MissingFont => ({
      family,
      substitutes: [...substitutes],
      metric_compatible: [...substitutes].every((substitute) => hasSameWidths(family, substitute)),
    })),
  };
};
