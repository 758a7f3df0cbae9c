/** The placeholders of header_html and footer_html. */
export const placeholderNames = ['page', 'total', 'date', 'title', 'section'] as const;
export type PlaceholderName = (typeof placeholderNames)[number];

/** Names that other services and the print dialogues of browsers use. */
const otherNames: Record<string, PlaceholderName> = {
  pagenumber: 'page',
  pageno: 'page',
  pagenum: 'page',
  currentpage: 'page',
  number: 'page',
  pages: 'total',
  totalpages: 'total',
  pagecount: 'total',
  pagetotal: 'total',
  numpages: 'total',
  topage: 'total',
  count: 'total',
  now: 'date',
  today: 'date',
  time: 'date',
  datetime: 'date',
  url: 'title',
  webpage: 'title',
  doctitle: 'title',
  documenttitle: 'title',
  name: 'title',
  heading: 'section',
  chapter: 'section',
  sections: 'section',
  subsection: 'section',
  runningheading: 'section',
};

const isPlaceholderName = (name: string): name is PlaceholderName =>
  (placeholderNames as readonly string[]).includes(name);

/** The placeholder that an unknown name probably means. */
const meantPlaceholder = (name: string): PlaceholderName | undefined => {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (isPlaceholderName(plain)) return plain;
  return Object.hasOwn(otherNames, plain) ? otherNames[plain] : undefined;
};

/** Either a placeholder, from `start` to before `end` of the source, or something that looks like one. */
type Found =
  | { kind: 'placeholder'; name: PlaceholderName; start: number; end: number; inStyle: boolean }
  | { kind: 'unknown'; name: string; start: number }
  | { kind: 'unclosed'; start: number }
  | { kind: 'triple'; name: string; start: number };

const indexAfter = (source: string, closing: RegExp, from: number): number => {
  closing.lastIndex = from;
  return closing.exec(source) ? closing.lastIndex : source.length;
};

const maxNameLength = 100;

const readPlaceholder = (source: string, start: number, inStyle: boolean): Found => {
  const isTriple = source[start + 2] === '{';
  const nameStart = start + (isTriple ? 3 : 2);
  const rest = source.slice(nameStart, nameStart + maxNameLength);
  const name = /^([^{}<>]*)\}\}/.exec(rest)?.[1]?.trim();
  if (name === undefined) return { kind: 'unclosed', start };
  if (isTriple) return { kind: 'triple', name, start };
  if (!isPlaceholderName(name)) return { kind: 'unknown', name, start };
  return { kind: 'placeholder', name, start, end: source.indexOf('}}', start) + 2, inStyle };
};

/** Finds placeholders outside comments and scripts, in linear time. */
function* findPlaceholders(source: string): Generator<Found> {
  const next = /<!--|<(?:script|style)\b|\{\{/gi;
  let styleEnd = 0;
  for (let match = next.exec(source); match; match = next.exec(source)) {
    const [opening] = match;
    if (opening === '{{') {
      const found = readPlaceholder(source, match.index, match.index < styleEnd);
      yield found;
      if (found.kind === 'placeholder') next.lastIndex = found.end;
    } else if (match.index >= styleEnd) {
      if (opening === '<!--') next.lastIndex = indexAfter(source, /-->/g, next.lastIndex);
      else if (/script/i.test(opening)) next.lastIndex = indexAfter(source, /<\/script/gi, next.lastIndex);
      else styleEnd = indexAfter(source, /<\/style/gi, next.lastIndex);
    }
  }
}

export type PlaceholderProblem = { message: string; didYouMean?: string };

const quoted = (name: string): string => `{{${name.length > 40 ? `${name.slice(0, 40)}…` : name}}}`;
const allowed = placeholderNames.map(quoted).join(', ');

const problemOf = (found: Found, source: string): PlaceholderProblem | undefined => {
  if (found.kind === 'placeholder' && (!found.inStyle || found.name === 'date')) return undefined;
  const line = source.slice(0, found.start).split('\n').length;
  switch (found.kind) {
    case 'unclosed':
      return { message: `must not contain {{ without }} (line ${line}); write &#123;&#123; for two braces as text` };
    case 'triple':
      return {
        message: `must not contain three braces (line ${line}); placeholders have two: ${allowed}`,
        ...(isPlaceholderName(found.name) && { didYouMean: quoted(found.name) }),
      };
    case 'unknown': {
      const meant = meantPlaceholder(found.name);
      return {
        message: `must not contain ${quoted(found.name)} (line ${line}); the placeholders are ${allowed}`,
        ...(meant && { didYouMean: quoted(meant) }),
      };
    }
    case 'placeholder':
      return {
        message: `must not contain ${quoted(found.name)} in a style element (line ${line}); only {{date}} may be there`,
      };
  }
};

/**
 * The first `maxProblems` problems with the placeholders of a header or footer, without those with the same message.
 * Lines count from 1.
 */
export const findPlaceholderProblems = (source: string, maxProblems: number): PlaceholderProblem[] => {
  const problems: PlaceholderProblem[] = [];
  for (const found of findPlaceholders(source)) {
    const problem = problemOf(found, source);
    if (problem) problems.push(problem);
    if (problems.length === maxProblems) break;
  }
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
};

/** The first of these problems. */
export const findPlaceholderProblem = (source: string): PlaceholderProblem | undefined =>
  findPlaceholderProblems(source, 1)[0];

/** Replaces the placeholders of a source without problems. */
export const replacePlaceholders = (source: string, replacement: (name: PlaceholderName) => string): string => {
  let [text, end] = ['', 0];
  for (const found of findPlaceholders(source)) {
    if (found.kind !== 'placeholder') continue;
    text += source.slice(end, found.start) + replacement(found.name);
    end = found.end;
  }
  return text + source.slice(end);
};
