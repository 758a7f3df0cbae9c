import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { AssetUse } from '#libs/documents/assets/inline.ts';

/** Without CSS that style sheets of the document have and others that it loads: both are read, by different processes. */
const withoutRepeats = (warnings: readonly RenderWarning[]): RenderWarning[] => {
  const known = new Set<string>();
  return warnings.filter((warning) => {
    if (warning.kind !== 'feature_ignored') return true;
    const key = JSON.stringify([warning.feature, warning.reason]);
    return !known.has(key) && known.add(key);
  });
};

/**
 * The warnings of a printed document, with those about the assets of the document, its header and its footer: fonts,
 * style sheets and backgrounds that are missing, and assets that nothing uses. Missing images are errors.
 */
export const allWarnings = (
  printed: readonly RenderWarning[],
  ...uses: readonly (AssetUse | undefined)[]
): RenderWarning[] => {
  const known = uses.filter((use) => use !== undefined);
  const unused = known.reduce<string[] | null>(
    (names, use) => names?.filter((name) => use.unused.includes(name)) ?? use.unused,
    null,
  );
  return [
    ...known.flatMap(({ missing }) => missing).map((resource) => ({ kind: 'resource_failed' as const, ...resource })),
    ...withoutRepeats(printed),
    ...(unused ?? []).map((name) => ({ kind: 'asset_unused' as const, name })),
  ];
};
