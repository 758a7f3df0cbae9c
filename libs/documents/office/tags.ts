// Authors decide how long a part is and what it contains. Each search therefore reads a character only a few times: a tag
// ends at the next `<` outside of quotes, and a search for an end that was not found is not repeated.

/** The text with each of its elements replaced. `start` is global, and matches start tags; `end` is the end tag. */
export const replaceElements = (
  xml: string,
  start: RegExp,
  end: string,
  replacementOf: (element: string) => string,
): string => {
  const kept: string[] = [];
  let position = 0;
  for (const { 0: tag, index } of xml.matchAll(start)) {
    if (index < position) continue;
    const found = tag.endsWith('/>') ? index + tag.length : xml.indexOf(end, index);
    if (found < 0) break;
    const until = tag.endsWith('/>') ? found : found + end.length;
    kept.push(xml.slice(position, index), replacementOf(xml.slice(index, until)));
    position = until;
  }
  return kept.length === 0 ? xml : [...kept, xml.slice(position)].join('');
};

/** The starts and ends of markup that is not an element (XML 1.0, 2.5 to 2.7). */
const sections: readonly [start: string, end: string][] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
const anyTag = /<(\/?)[^\s<>!?/](?:"[^"]*"|'[^']*'|[^<>"'])*>/y;

/** Start tags (1), end tags (-1) and empty elements (0) in their order, up to the first error. */
export function* elementSteps(xml: string): Generator<-1 | 0 | 1> {
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at)) {
    const section = sections.find(([start]) => xml.startsWith(start, at));
    if (section) {
      at = xml.indexOf(section[1], at + section[0].length);
      if (at < 0) return;
      continue;
    }
    anyTag.lastIndex = at;
    const [tag, end] = anyTag.exec(xml) ?? [];
    at += tag?.length ?? 1;
    if (tag !== undefined) yield end ? -1 : tag.endsWith('/>') ? 0 : 1;
  }
}

/** Whether a document type has declarations of its own, which are in brackets (XML 1.0, 2.8). */
export const hasInternalSubset = (xml: string): boolean => {
  const marks = /<!DOCTYPE|[>[]/gi;
  let isOpen = false;
  for (let at = xml.search(/<!DOCTYPE/i); at >= 0;) {
    marks.lastIndex = at;
    const found = marks.exec(xml);
    if (!found) return false;
    if (found[0] === '[' && isOpen) return true;
    isOpen = found[0] !== '>' && (isOpen || found[0] !== '[');
    at = found.index + found[0].length;
  }
  return false;
};
