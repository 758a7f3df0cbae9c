/** What a search text can identify. A bare id, without a prefix, can be of any type. */
export type SearchTerm =
  | { kind: 'id'; type: 'render' | 'template' | 'key' | 'person' | null; from: string }
  | { kind: 'request'; id: string }
  | { kind: 'trace'; traceId: string }
  | { kind: 'sha256'; sha256: string }
  | { kind: 'keyPrefix'; text: string }
  | { kind: 'name'; text: string };

const typesByPrefix = {
  render: 'render',
  job: 'render',
  delivery: 'render',
  msg: 'render',
  tpl: 'template',
  key: 'key',
  person: 'person',
} as const;

const idPattern = /^(?:(render|job|delivery|msg|tpl|key|person)_)?([0-9A-HJKMNP-TV-Z]{6,26})$/i;

/** The kinds of things that a text can mean, the most exact first. A name can be anything. */
export const parseSearch = (text: string): SearchTerm[] => {
  const name: SearchTerm = { kind: 'name', text: text.toLowerCase() };
  const request = /^req_([0-7][0-9A-HJKMNP-TV-Z]{25})$/.exec(text);
  if (request) return [{ kind: 'request', id: text }];
  if (/^svc_(live|test)_/.test(text)) return [{ kind: 'keyPrefix', text }];
  const traceparent = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(text);
  if (traceparent) return [{ kind: 'trace', traceId: traceparent[1]! }];
  if (/^[0-9a-f]{64}$/i.test(text)) return [{ kind: 'sha256', sha256: text.toLowerCase() }];
  if (/^[0-9a-f]{32}$/i.test(text)) return [{ kind: 'trace', traceId: text.toLowerCase() }, name];
  const id = idPattern.exec(text);
  if (!id) return [name];
  const prefix = id[1]?.toLowerCase() as keyof typeof typesByPrefix | undefined;
  const from = id[2]!.toUpperCase();
  return prefix ? [{ kind: 'id', type: typesByPrefix[prefix], from }] : [{ kind: 'id', type: null, from }, name];
};
