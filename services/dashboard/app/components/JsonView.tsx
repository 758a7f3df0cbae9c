import type { ReactElement, ReactNode } from 'react';
import { CodeBlock } from './CodeBlock.tsx';
import { hrefOfId } from './Id.tsx';
import { Link } from './Link.tsx';

const tokenPattern = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const maxHighlighted = 200_000;

const stringNode = (text: string, key: number): ReactNode => {
  const href = hrefOfId(text.slice(1, -1));
  return href ? (
    <Link key={key} href={href} className="json-string link">
      {text}
    </Link>
  ) : (
    <span key={key} className="json-string">
      {text}
    </span>
  );
};

const highlighted = (json: string): ReactNode[] => {
  const nodes: ReactNode[] = [];
  let end = 0;
  for (const match of json.matchAll(tokenPattern)) {
    const [text, string, colon, word] = match;
    nodes.push(json.slice(end, match.index));
    end = match.index + text.length;
    const key = match.index;
    if (string && colon)
      nodes.push(
        <span key={key} className="json-key">
          {string}
        </span>,
        colon,
      );
    else if (string) nodes.push(stringNode(string, key));
    else
      nodes.push(
        <span key={key} className={word ? 'json-word' : 'json-number'}>
          {text}
        </span>,
      );
  }
  return [...nodes, json.slice(end)];
};

/** A value as indented JSON; ids in it lead to their pages. */
export const JsonView = ({ value }: { value: unknown }): ReactElement => {
  const json = JSON.stringify(value, null, 2) ?? 'undefined';
  return (
    <CodeBlock code={json} className="json">
      {json.length > maxHighlighted ? json : highlighted(json)}
    </CodeBlock>
  );
};
