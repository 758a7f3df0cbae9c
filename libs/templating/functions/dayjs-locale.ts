import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const available: ReadonlySet<string> = new Set((require('dayjs/locale.json') as { key: string }[]).map(({ key }) => key));
const aliases: Record<string, string> = { no: 'nb', zh: 'zh-cn', 'zh-hans': 'zh-cn', 'zh-hant': 'zh-tw' };

const candidates = (tag: string): string[] => {
  const parts = tag.toLowerCase().split('-');
  return parts.map((_, dropped) => parts.slice(0, parts.length - dropped).join('-'));
};

/** The name under which dayjs knows a language tag's month and day names, loaded on first use; `en` where it knows none. */
export const dayjsLocaleOf = (tag: string): string => {
  const found = candidates(tag)
    .map((name) => aliases[name] ?? name)
    .find((name) => available.has(name));
  if (!found || found === 'en') return 'en';
  require(`dayjs/locale/${found}.js`);
  return found;
};
