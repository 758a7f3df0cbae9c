import { SaxesParser } from 'saxes';
import type { DocumentMetadata } from '#contracts/http/pdf-metadata.ts';
import { metadataLine } from '../html/meta-elements.ts';
import type { Parts } from '../office/archive.ts';

/** The elements of docProps/core.xml (ISO 29500-2, 11.1), whatever their namespace prefix. */
const readElements = (xml: string): Map<string, string> => {
  const texts = new Map<string, string>();
  const open: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', () => undefined);
  parser.on('opentag', ({ name }) => void open.push(name.split(':').at(-1)!));
  parser.on('closetag', () => void open.pop());
  parser.on('text', (text) => {
    const name = open.at(-1);
    if (name && open.length === 2) texts.set(name, (texts.get(name) ?? '') + text);
  });
  parser.write(xml).close();
  return texts;
};

/** The properties that the author of a Word file gave it. */
export const readProperties = (parts: Parts): DocumentMetadata => {
  const part = parts.get('docProps/core.xml');
  const elements = part ? readElements(Buffer.from(part).toString('utf8')) : new Map<string, string>();
  const line = (name: string): string | undefined => metadataLine(elements.get(name) ?? '') || undefined;
  const [title, author, subject] = [line('title'), line('creator'), line('subject') ?? line('description')];
  return {
    authors:
      author === undefined
        ? []
        : author
            .split(';')
            .map((name) => name.trim())
            .filter(Boolean),
    keywords: (line('keywords') ?? '')
      .split(/[,;]/)
      .map((keyword) => keyword.trim())
      .filter(Boolean)
      .slice(0, 50),
    ...(title !== undefined && { title }),
    ...(subject !== undefined && { subject }),
  };
};
