import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  Scalar,
  visit,
  type Document,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { z } from 'zod';
import { type ApiError, throwErrors } from '#contracts/http/api-error.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { localeTag } from '#contracts/http/locale.ts';
import { optionValueOf } from '#contracts/http/option-texts.ts';
import { typeNameOf } from '#contracts/http/type-names.ts';
import { optionalRenderOptionFields } from '#contracts/http/render-options.ts';
import { webhookFields } from '#contracts/http/webhook.ts';
import { suggestForOtherName } from '#libs/spelling/other-names.ts';
import { misspeltNameOf, plainFormOf } from '#libs/spelling/similar.ts';
import { inputError } from '../input.ts';
import { documentOptionNames, type DocumentOptions, documentOptions } from './document-options.ts';

/** What the front matter says about the document. */
export type Metadata = {
  title?: string;
  subtitle?: string;
  authors: string[];
  date?: string;
  language?: string;
  subject?: string;
  keywords: string[];
  /** Whether the document begins with its table of contents. */
  contents: boolean;
};

export type FrontMatter = { metadata: Metadata; options: DocumentOptions; warnings: RenderWarning[] };

/** Longer front matter is not looked for. */
const maxLength = 65_536;
const maxAliases = 50;

const noFrontMatter: FrontMatter = {
  metadata: { authors: [], keywords: [], contents: false },
  options: {},
  warnings: [],
};

const frontMatterError = (problem: string, line: number, reason?: string) =>
  inputError('markdown', `The front matter of the Markdown ${problem} on line ${line}${reason ? `: ${reason}` : ''}.`, {
    details: { reason: 'front matter', problem: reason ?? problem },
    line,
  });

/** The YAML between `---` on the first line and the next `---` or `...`, and the number of lines with both. */
const findYaml = (text: string): { yaml: string; lines: number } | undefined => {
  const head = text.slice(0, maxLength);
  const opening = /^\ufeff?---[ \t]*\r?\n/.exec(head);
  if (!opening) return undefined;
  const rest = head.slice(opening[0].length);
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (!closing || (text.length > maxLength && closing.index + closing[0].length >= rest.length)) return undefined;
  const yaml = rest.slice(0, closing.index);
  // Without a key it is text between two rules.
  return /^(?:#.*\r?\n)*["']?[\p{L}_][^:\r\n]*:(?:\s|$)/u.test(yaml)
    ? { yaml, lines: yaml.split('\n').length + 1 }
    : undefined;
};

/** The line in the document: the first line of the YAML is the second one of the document. */
const lineOf = (counter: LineCounter, offset: number): number => counter.linePos(offset).line + 1;

const parseYaml = (yaml: string, counter: LineCounter): Document => {
  try {
    return parseDocument(yaml, { lineCounter: counter, prettyErrors: false, schema: 'core', stringKeys: true });
  } catch {
    // The parser calls itself for each level.
    throw frontMatterError('is nested too deeply', 2);
  }
};

/** Keys of `Metadata` whose values are texts or lists of texts. */
const textKeys = [
  ...['title', 'subtitle', 'author', 'authors', 'date', 'lang', 'language', 'locale'],
  ...['subject', 'description', 'keywords'],
];

const isTextKey = (pair: unknown): boolean =>
  isPair(pair) && isScalar(pair.key) && textKeys.includes(String(pair.key.value));

/**
 * A number or a boolean in a text keeps its form, also by an alias: 1.10 is no 1.1, and 007 no 7. The pair of a key is the
 * second node of a path.
 */
const keepTexts = (map: YAMLMap): void => {
  const anchors = new Map<string, { value: unknown; source: string | undefined } | YAMLMap | YAMLSeq | null>();
  visit(map, {
    Scalar: (_, scalar, [, pair]) => {
      const { anchor, value, source } = scalar;
      const hasOtherForm = typeof value === 'number' || typeof value === 'boolean';
      if (anchor !== undefined) anchors.set(anchor, hasOtherForm ? { value, source } : null);
      if (hasOtherForm && isTextKey(pair)) scalar.value = source;
    },
    Alias: (_, alias, { 1: pair, length }) => {
      const named = anchors.get(alias.source);
      // The copy is visited next. Only the value of a key is copied, because a list could make many copies.
      if (isCollection(named)) return isTextKey(pair) && length === 2 ? (named.clone() as typeof named) : undefined;
      return named ? new Scalar(isTextKey(pair) ? named.source : named.value) : undefined;
    },
    Collection: (_, collection) => {
      if (collection.anchor !== undefined) anchors.set(collection.anchor, collection);
    },
  });
};

type FrontMatterMap = { values: Map<string, unknown>; lineOfKey: (key: string) => number };

const readMap = (yaml: string): FrontMatterMap | undefined => {
  const counter = new LineCounter();
  const document = parseYaml(yaml, counter);
  const [error] = document.errors;
  if (error)
    throw frontMatterError(
      'is not valid YAML',
      Math.min(lineOf(counter, error.pos[0]), yaml.split('\n').length),
      error.message.replace(/\.$/, ''),
    );
  if (!isMap(document.contents)) return undefined;
  const { items } = document.contents;
  keepTexts(document.contents);
  const lineOfKey = (key: string): number => {
    const pair = items.find((item) => isScalar(item.key) && item.key.value === key);
    return isScalar(pair?.key) && pair.key.range ? lineOf(counter, pair.key.range[0]) : 2;
  };
  try {
    return { values: document.toJS({ mapAsMap: true, maxAliasCount: maxAliases }) as Map<string, unknown>, lineOfKey };
  } catch {
    throw frontMatterError('has too many or unknown aliases', 2);
  }
};

const plainText = z
  .union([z.string(), z.number(), z.boolean(), z.date()], 'must be text')
  .transform((value) => (value instanceof Date ? value.toISOString().slice(0, 10) : String(value).trim()));
/** Pandoc also takes an author as a map with a name. */
const name = z.union([
  plainText,
  z
    .map(z.string(), z.unknown())
    .transform((map) => map.get('name'))
    .pipe(plainText),
]);
const authors = z.union(
  [z.array(name), name.transform((author) => [author])],
  'must be text, a map with a name, or a list of them',
);
const keywords = z.union(
  [z.array(plainText), plainText.transform((text) => text.split(/[,;]/).map((keyword) => keyword.trim()))],
  'must be text, or a list of texts',
);

/** Why a value is wrong, in plain English. */
const reasonOf = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return `must be ${typeNameOf(issue.expected)}`;
    case 'too_small':
      return issue.origin === 'number' ? `must be at least ${issue.minimum}` : issue.message;
    case 'too_big':
      return issue.origin === 'number' ? `must be at most ${issue.maximum}` : issue.message;
    default:
      return issue.message;
  }
};

type Read = <T>(schema: z.ZodType<T>, ...keys: string[]) => T | undefined;

const readMetadata = (read: Read): Metadata => {
  const [title, subtitle] = [read(plainText, 'title'), read(plainText, 'subtitle')];
  const [date, subject] = [read(plainText, 'date'), read(plainText, 'subject', 'description')];
  const language = read(localeTag, 'lang', 'language', 'locale');
  return {
    ...(title && { title }),
    ...(subtitle && { subtitle }),
    authors: read(authors, 'author', 'authors') ?? [],
    ...(date && { date }),
    ...(language && { language }),
    ...(subject && { subject }),
    keywords: (read(keywords, 'keywords') ?? []).filter(Boolean),
    contents: read(z.boolean(), 'toc') ?? false,
  };
};

const knownKeys: ReadonlySet<string> = new Set([...textKeys, 'toc', ...documentOptionNames]);
const allowedOptions: ReadonlySet<string> = new Set(documentOptionNames);
/** Options that only a request can have. */
const requestOptionNames = Object.keys({ ...optionalRenderOptionFields, ...webhookFields }).filter(
  (name) => !knownKeys.has(name),
);
/** Keys of other programs that are similar to an option: Hugo orders pages by `weight`. */
const otherKeys = new Set(['weight', 'background', 'media', 'pages', 'size']);
/** Options that are keys of other programs, too. They mean the option if it can have their value. */
const sharedKeys = new Set(['attachments', 'metadata', 'output', 'quality', 'thumbnail']);
const maxWarnings = 10;

const isRequestOption = (key: string, value: unknown): boolean =>
  !sharedKeys.has(key) ||
  (optionalRenderOptionFields[key as keyof typeof optionalRenderOptionFields] as z.ZodType).safeParse(value).success;

const plainValueOf = (value: unknown): unknown => (value instanceof Map ? Object.fromEntries(value) : value);

/** What to write instead of an option of another program; undefined if the key is none of its options. */
const insteadOf = (key: string, value: unknown): string | undefined => {
  const { fields = [], example = {} } = suggestForOtherName(key, plainValueOf(value), allowedOptions) ?? {};
  const size = example['page_size'];
  // `format` and `size` mean other things, too.
  if (fields.length === 0 || (typeof size === 'string' && plainFormOf(size) !== plainFormOf(String(value))))
    return undefined;
  const lines = Object.entries(example).map(([name, shown]) => `${name}: ${String(shown)}`);
  return `write ${fields.join(', ')} instead. Example: ${lines.join(', ')}.`;
};

/** What an ignored key was probably meant as; undefined if it is a key of other programs. */
const adviceOf = (key: string, value: unknown): string | undefined => {
  if (value === null || otherKeys.has(key) || knownKeys.has(key)) return undefined;
  const option = requestOptionNames.find((name) => plainFormOf(name) === plainFormOf(key));
  if (option !== undefined)
    return isRequestOption(option, plainValueOf(value)) ? `send ${option} in the request.` : undefined;
  const meant = misspeltNameOf(key, documentOptionNames);
  return meant === undefined ? insteadOf(key, value) : `did you mean ${meant}?`;
};

/** Keys that are ignored, but were probably meant as an option. */
const findIgnoredOptions = ({ values, lineOfKey }: FrontMatterMap): RenderWarning[] =>
  [...values]
    .flatMap(([key, value]) => {
      const advice = adviceOf(key, value);
      if (advice === undefined) return [];
      const reason = `Line ${lineOfKey(key)} of the front matter: ${advice}`;
      return [{ kind: 'option_ignored' as const, option: key, reason }];
    })
    .slice(0, maxWarnings);

/** @throws ApiError one for all wrong values */
const readValues = (map: FrontMatterMap): FrontMatter => {
  const { values, lineOfKey } = map;
  const problems: { line: number; error: ApiError }[] = [];
  const parse = <T>(schema: z.ZodType<T>, value: unknown, keyOf: (path: PropertyKey[]) => string): T | undefined => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues) {
      const key = keyOf(issue.path);
      const line = lineOfKey(key);
      problems.push({ line, error: frontMatterError(`has a wrong value of ${key}`, line, reasonOf(issue)) });
    }
    return undefined;
  };
  const isSet = (key: string): boolean => values.get(key) !== undefined && values.get(key) !== null;
  const read: Read = (schema, ...keys) => {
    const key = keys.find(isSet);
    return key === undefined ? undefined : parse(schema, values.get(key), () => key);
  };
  const named = Object.fromEntries(
    documentOptionNames.filter(isSet).map((name) => {
      const value = values.get(name);
      return [name, typeof value === 'number' ? optionValueOf(name, String(value), value) : value];
    }),
  );
  const metadata = readMetadata(read);
  const options = parse(documentOptions, named, ([name]) => String(name)) ?? {};
  throwErrors(problems.toSorted((a, b) => a.line - b.line).map(({ error }) => error));
  return { metadata, options, warnings: findIgnoredOptions(map) };
};

/**
 * Reads YAML front matter: metadata of the document and render options. Other keys are for other programs and are
 * ignored, with a warning for those that were probably meant as an option. Returns the Markdown with empty lines in its
 * place, so that line numbers stay the same.
 * @throws ApiError with the line if the YAML is wrong, or with the lines of all wrong values
 */
export const readFrontMatter = (text: string): FrontMatter & { markdown: string } => {
  const found = findYaml(text);
  const map = found && readMap(found.yaml);
  if (!map) return { ...noFrontMatter, markdown: text };
  const body = text.split('\n').slice(found.lines).join('\n');
  return { ...readValues(map), markdown: '\n'.repeat(found.lines) + body };
};
