import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { AssetUse } from '#libs/documents/assets/inline.ts';

/**
 * The warnings of a printed document, with those about the assets of the document, its header and its footer: fonts,
 * style sheets and backgrounds that are missing, and assets that nothing uses. Missing images are errors.
 */
export const withAssetWarnings = (
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
    ...printed,
    ...(unused ?? []).map((name) => ({ kind: 'asset_unused' as const, name })),
  ];
};
