import type { EventResponse } from '#contracts/http/events.ts';
import { strings } from '../../strings/strings.ts';

const sentences: Partial<Record<string, (of: (path: string) => string) => string>> = strings.audit.sentences;

/** The name of an event type in words: "RenderRequested" becomes "Render requested". */
const typeText = (type: string): string => {
  const words = type.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^Api key/, 'API key').replace(/^Pdf/, 'PDF');
};

const fieldText = (data: unknown, path: string): string => {
  const value = path.split('.').reduce<unknown>((within, name) => (within as Record<string, unknown>)?.[name], data);
  return typeof value === 'string' || typeof value === 'number' ? value.toString() : '';
};

/** The beginning of an isolate with the direction of its own text, and its end (Unicode Standard Annex #9). */
const [isolate, endOfIsolate] = ['\u2068', '\u2069'];
const fromRightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const isolated = (text: string): string => (fromRightToLeft.test(text) ? isolate + text + endOfIsolate : text);

/** What happened, in one sentence. Texts from right to left are isolated from the words around them. */
export const sentenceOf = ({ type, data }: Pick<EventResponse, 'type' | 'data'>): string =>
  sentences[type]?.((path) => isolated(fieldText(data, path))) ?? typeText(type);

/** The parts of such a sentence. Every second part was isolated. */
export const partsOf = (sentence: string): string[] => sentence.split(/[\u2068\u2069]/);

const ofInstallation = new Set(['InstallationCreated', 'SecretRotated', 'BlobStoreRegistered', 'BlobStoreReplaced']);

/** The event types that an account can have, with their names. */
export const eventTypes = Object.keys(strings.audit.sentences)
  .filter((type) => !ofInstallation.has(type))
  .map((type) => ({ value: type, label: typeText(type) }))
  .toSorted((a, b) => a.label.localeCompare(b.label));
