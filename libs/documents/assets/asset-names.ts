import type { Asset } from './bundle.ts';

/**
 * The path with `/` between its segments, in NFC, without `.` and `..`. The folder above the outermost one is that one
 * itself, as in a URL.
 */
const normalizePath = (path: string): string => {
  const segments: string[] = [];
  for (const segment of path.normalize('NFC').split(/[/\\]/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
};

/** The folder of a path with `/` at its end; empty for a file without a folder. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
const baseNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Without control characters and spaces at both ends, which a URL parser ignores. */
const trimUrl = (url: string): string => {
  let [start, end] = [0, url.length];
  while (start < end && url.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && url.charCodeAt(end - 1) <= 0x20) end -= 1;
  return url.slice(start, end);
};

/** The path of a relative URL, its percent escapes decoded and as written; null if the URL is not relative. */
const relativePathsOf = (url: string): string[] | null => {
  const trimmed = trimUrl(url);
  if (trimmed === '' || /^(?:[a-z][a-z0-9+.-]*:|[#?]|[/\\]{2})/i.test(trimmed)) return null;
  const path = trimmed.replace(/[?#].*$/s, '');
  return path.includes('%') ? [decodePercent(path), path] : [path];
};

export const isRelativeUrl = (url: string): boolean => relativePathsOf(url) !== null;

export type StoredAsset = Asset & { path: string };

/** Finds assets by the relative URLs of a document. */
export type AssetIndex = {
  /** `folder` is that of the file with the URL: empty, or with `/` at its end. Undefined if no asset has the name. */
  find: (url: string, folder: string) => StoredAsset | undefined;
  /** Why no asset was found for the URL. */
  describeMissing: (url: string, folder: string) => string;
};

const maxListed = 20;
const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
const quote = (names: readonly string[]): string => names.map((name) => `"${shorten(name)}"`).join(', ');

/** Why a relative URL leads nowhere in a request without assets. */
export const relativeUrlReason =
  'the URL is relative, and the document has no URL of its own; send the file as a part "assets" of a form ' +
  '(multipart/form-data), set base_url, or use an absolute http: or https: URL or a data: URI';

const listNames = (names: readonly string[]): string => {
  const others = names.length - maxListed;
  return `the parts "assets" are ${quote(names.slice(0, maxListed))}${others > 0 ? ` and ${others} more` : ''}`;
};

const haveSameBytes = (assets: readonly StoredAsset[]): boolean =>
  assets.every(({ bytes }) => Buffer.compare(bytes, assets[0]!.bytes) === 0);

/**
 * Names are compared as paths relative to the document, case-sensitively and in NFC. Some clients send a file name
 * without its folders, so a base name is enough if only one asset has it.
 */
export const indexAssets = (assets: readonly Asset[]): AssetIndex => {
  const stored = assets.map((asset) => ({ ...asset, path: normalizePath(asset.name) }));
  const byPath = Map.groupBy(stored, ({ path }) => path);
  const byBaseName = Map.groupBy(stored, ({ path }) => baseNameOf(path));

  /** Of assets with one name: their bytes are compared once. */
  const comparisons = new Map<readonly StoredAsset[], boolean>();
  const isUnambiguous = (candidates: readonly StoredAsset[]): boolean => {
    const known = comparisons.get(candidates) ?? haveSameBytes(candidates);
    comparisons.set(candidates, known);
    return known;
  };

  const pathsOf = (url: string, folder: string): string[] =>
    // The document has no URL, so a path from the root begins at the document, too.
    (relativePathsOf(url) ?? []).map((path) => normalizePath(/^[/\\]/.test(path) ? path : folder + path));
  const candidatesOf = (url: string, folder: string): StoredAsset[] => {
    const paths = pathsOf(url, folder);
    const path = paths.find((one) => byPath.has(one));
    if (path !== undefined) return byPath.get(path)!;
    return paths.map((one) => byBaseName.get(baseNameOf(one)) ?? []).find(({ length }) => length > 0) ?? [];
  };

  return {
    find: (url, folder) => {
      const candidates = candidatesOf(url, folder);
      return candidates.length > 0 && isUnambiguous(candidates) ? candidates[0] : undefined;
    },
    describeMissing: (url, folder) => {
      if (stored.length === 0) return relativeUrlReason;
      const candidates = candidatesOf(url, folder);
      if (candidates.length > 0)
        return (
          `${candidates.length} different parts "assets" have this name: ` +
          quote(candidates.map(({ name }) => name).slice(0, maxListed))
        );
      const baseNames = new Set(pathsOf(url, folder).map((path) => baseNameOf(path).toLowerCase()));
      const similar = stored.find(({ path }) => baseNames.has(baseNameOf(path).toLowerCase()));
      const hint = similar ? `; names are case-sensitive: did you mean "${shorten(similar.name)}"?` : '';
      return `no part "assets" has this name; ${listNames(stored.map(({ name }) => name))}${hint}`;
    },
  };
};
