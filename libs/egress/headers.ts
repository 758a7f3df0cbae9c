/** Header lines as Node and undici keep them raw: name, value, name, value. */
type RawHeaders = string[];

// RFC 9110, 7.6.1, and what proxies have added to it in practice.
const hopByHop = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'proxy-authentication-info',
  'te', 'trailer', 'transfer-encoding', 'upgrade',
]);

const pairs = (raw: RawHeaders): [name: string, value: string][] =>
  Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? '']);

const namedByConnection = (headers: [string, string][]): string[] =>
  headers.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(',').map((option) => option.trim().toLowerCase()));

/** The headers that travel on, end to end; `less` names further ones to leave out. */
export const endToEnd = (raw: RawHeaders, less: string[] = []): RawHeaders => {
  const headers = pairs(raw);
  const dropped = new Set([...hopByHop, ...namedByConnection(headers), ...less]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
};
