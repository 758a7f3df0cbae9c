import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { Parts } from './archive.ts';
import { valuesOf } from './edit-tags.ts';
import { readXml } from './xml-encoding.ts';

const headersAndFooters = /^word\/(?:header|footer)\d*\.xml$/i;
const body = /^word\/document\d*\.xml$/i;
const settings = /^word\/settings\d*\.xml$/i;
const updates = /<(?:[^\s<>"'=/:]+:)?updateFields\b[^<>]*>/;

/** An instruction that begins with one of these names: in an element, or in an attribute. */
const instruction = (names: string): RegExp =>
  new RegExp(String.raw`(?:\binstrText\b[^<>]*>|\binstr\s*=\s*["'])\s*(?:${names})\b`, 'i');
const headingFields = instruction('STYLEREF');
const contents = instruction('TOC|TOA|INDEX');

const isOn = (tag: string): boolean => !valuesOf(tag, 'val').some((value) => /^(?:0|false|off)$/.test(value));

/** Warnings about fields of a Word document that Word calculates and LibreOffice prints as they are stored. */
export const findIgnoredFields = (parts: Parts): RenderWarning[] => {
  const texts = (path: RegExp): string[] =>
    [...parts].flatMap(([name, content]) => (path.test(name) ? [readXml(content) ?? ''] : []));
  const found: [feature: string, reason: string][] = [];
  if (texts(headersAndFooters).some((xml) => headingFields.test(xml)))
    found.push([
      'STYLEREF in a header or footer',
      'Depending on its version, LibreOffice prints the stored text of this field, the same on each page.',
    ]);
  const [update] = texts(settings).flatMap((xml) => updates.exec(xml) ?? []);
  if (update !== undefined && isOn(update) && texts(body).some((xml) => contents.test(xml)))
    found.push([
      'updateFields in the settings',
      'The table of contents or index is printed as the file stores it. Open the file in Word, and save it again.',
    ]);
  return found.map(([feature, reason]) => ({ kind: 'feature_ignored', feature, reason }));
};
