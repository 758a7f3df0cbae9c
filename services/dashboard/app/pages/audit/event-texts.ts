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

/** What happened, in one sentence. */
export const sentenceOf = ({ type, data }: Pick<EventResponse, 'type' | 'data'>): string =>
  sentences[type]?.((path) => fieldText(data, path)) ?? typeText(type);

const ofInstallation = new Set(['InstallationCreated', 'SecretRotated', 'BlobStoreRegistered', 'BlobStoreReplaced']);

/** The event types that an account can have, with their names. */
export const eventTypes = Object.keys(strings.audit.sentences)
  .filter((type) => !ofInstallation.has(type))
  .map((type) => ({ value: type, label: typeText(type) }))
  .toSorted((a, b) => a.label.localeCompare(b.label));
