import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { pdfBytes } from './read-pdf.ts';

type Node = { role?: string; alt?: string; type?: string; id?: string; children?: Node[] };
type TextItem = { type?: string; id?: string; str?: string };

/** The text of each marked content of a page by its id. */
const textsById = (items: readonly TextItem[]): Map<string, string> => {
  const texts = new Map<string, string>();
  const open: (string | undefined)[] = [];
  for (const { type, id, str } of items)
    if (type === 'beginMarkedContentProps' || type === 'beginMarkedContent') open.push(id);
    else if (type === 'endMarkedContent') open.pop();
    else {
      const current = open.findLast((one) => one !== undefined);
      if (current !== undefined) texts.set(current, (texts.get(current) ?? '') + (str ?? ''));
    }
  return texts;
};

const descendants = (node: Node, role: string): Node[] =>
  (node.children ?? []).flatMap((child) => [...(child.role === role ? [child] : []), ...descendants(child, role)]);

/**
 * What assistive technology presents, one line for each heading, table, list, image and other block, in reading
 * order. Tables have their numbers of rows and columns, and the texts of their header cells.
 */
export const readReadingOrder = async (base64: string): Promise<string[]> => {
  const task = getDocument({ data: new Uint8Array(pdfBytes(base64)), verbosity: 0 });
  const document = await task.promise;
  const lines: string[] = [];
  try {
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const content = await page.getTextContent({ includeMarkedContent: true });
      const texts = textsById(content.items);
      const textOf = (node: Node): string =>
        node.type === 'content' ? (texts.get(node.id ?? '') ?? '') : (node.children ?? []).map(textOf).join('');
      const clean = (node: Node): string => textOf(node).replaceAll(/\s+/g, ' ').trim();
      const visit = (node: Node): void => {
        const { role = '', alt, children = [] } = node;
        const text = clean(node);
        if (role === 'Table') {
          const rows = descendants(node, 'TR');
          const columns = Math.max(0, ...rows.map((row) => row.children?.length ?? 0));
          lines.push(`Table ${rows.length}x${columns}: ${descendants(node, 'TH').map(clean).join(' | ')}`);
        } else if (role === 'L') lines.push(`L ${descendants(node, 'LI').length}: ${text}`);
        else if (role === 'Figure') lines.push(`Figure: ${alt ?? ''}`);
        else if (/^(?:H\d|P|Caption)$/.test(role)) lines.push(`${role}: ${text}`);
        else if (children.every((child) => child.type === 'content' || !child.children?.some(({ role: r }) => r)))
          lines.push(...(text ? [`- ${text}`] : []));
        else for (const child of children) visit(child);
      };
      const tree = (await page.getStructTree()) as Node | null;
      if (tree) visit(tree);
    }
    return lines;
  } finally {
    await task.destroy();
  }
};
