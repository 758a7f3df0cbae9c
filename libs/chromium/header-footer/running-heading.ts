/** A heading of a document, in document order. `destination` is its name in the PDF. */
export type Heading = { text: string; destination: string };

/** A limit, because the browser needs time for each heading on each page. */
const maxHeadings = 1000;

/**
 * Runs in the page: its visible h1 and h2 with their texts. Adds a link to each of them, in the head of the document,
 * so that the PDF has the page of each as a named destination. If there are too many, only the first h1 count.
 */
export const collectHeadings = String.raw`(() => {
  const visible = [...document.querySelectorAll('h1,h2')].filter((heading) => heading.getClientRects().length > 0);
  const chosen = visible.length > ${maxHeadings} ? visible.filter((heading) => heading.matches('h1')) : visible;
  return chosen.slice(0, ${maxHeadings}).flatMap((heading, index) => {
    const text = (heading.innerText ?? '').replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed();
    if (text === '') return [];
    let destination = heading.id;
    if (!/^[\w.-]+$/.test(destination) || document.getElementById(destination) !== heading) {
      destination = 'colophon-heading-' + index;
      if (heading.id === '') heading.id = destination;
      else {
        const anchor = document.createElement('a');
        anchor.name = destination;
        heading.prepend(anchor);
      }
    }
    const link = document.createElement('a');
    link.href = '#' + destination;
    (document.head ?? document.documentElement).append(link);
    return [{ text, destination }];
  });
})()`;

/**
 * The running heading of each page: the first heading that starts on it, else the last one before it, else none.
 * `pageOf` gives the index of the page of a destination, if the PDF has it.
 */
export const runningHeadings = (
  headings: readonly Heading[],
  pageOf: ReadonlyMap<string, number>,
  pages: number,
): string[] => {
  const onPage = Map.groupBy(headings, ({ destination }) => pageOf.get(destination));
  let last = '';
  return Array.from({ length: pages }, (_, page) => {
    const own = onPage.get(page) ?? [];
    const running = own[0]?.text ?? last;
    last = own.at(-1)?.text ?? last;
    return running;
  });
};
