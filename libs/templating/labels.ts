import { LRUCache } from 'lru-cache';
import type { TemplateLabels } from '#contracts/http/template-labels.ts';

/** The texts of a template in one language, by name. */
export type Labels = Readonly<Record<string, string>>;

/**
 * What follows from the tag of a locale: the tags whose labels fit it, the most general first (`zh`, `zh-Hant`, `zh-TW`,
 * `zh-Hant-TW`), and the direction of its language.
 */
type LocaleProperties = { tags: readonly string[]; direction: 'ltr' | 'rtl' };

const readProperties = (tag: string): LocaleProperties => {
  const locale = new Intl.Locale(tag);
  const { language, script, region } = locale.maximize();
  const tags = [language, `${language}-${script}`, `${language}-${region}`, `${language}-${script}-${region}`];
  const direction = locale.getTextInfo().direction === 'rtl' ? 'rtl' : 'ltr';
  return { tags: [...new Set([...tags, locale.baseName])], direction };
};

const knownProperties = new LRUCache<string, LocaleProperties>({ max: 100 });

const propertiesOf = (tag: string): LocaleProperties => {
  const properties = knownProperties.get(tag) ?? readProperties(tag);
  knownProperties.set(tag, properties);
  return properties;
};

/** The labels of the language that has every label: English, or else the first language. */
export const fallbackLabels = (labels: TemplateLabels): Labels => labels['en'] ?? Object.values(labels)[0] ?? {};

/** The labels for a locale. */
export const labelsFor = (labels: TemplateLabels | undefined, locale: string): Labels =>
  labels === undefined
    ? {}
    : Object.assign({}, fallbackLabels(labels), ...propertiesOf(locale).tags.map((tag) => labels[tag]));

/** The direction in which the language of a locale is written. */
export const directionOf = (locale: string): 'ltr' | 'rtl' => propertiesOf(locale).direction;
