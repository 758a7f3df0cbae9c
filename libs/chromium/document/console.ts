import type { Protocol } from 'devtools-protocol';
import type { Session } from '../cdp/connection.ts';
import type { ConsoleMessage, PrintDiagnostics } from '../print-request.ts';

/** How many messages are kept. */
export const maxMessages = 100;
const maxMessageLength = 500;

const levels: Record<string, ConsoleMessage['level']> = {
  debug: 'debug',
  verbose: 'debug',
  error: 'error',
  assert: 'error',
  warning: 'warning',
};

const describeRemoteObject = (object: Protocol.Runtime.RemoteObject): string => {
  const { type, value, unserializableValue, description } = object;
  if (type === 'string') return String(value);
  return description ?? unserializableValue ?? (value === undefined ? type : JSON.stringify(value));
};

/**
 * Copies the first characters: in V8 a slice keeps the whole text in memory, and a page can log 50 MB a hundred times.
 */
const truncateMessage = (text: string): string =>
  text.length > maxMessageLength ? `${Buffer.from(text.slice(0, maxMessageLength)).toString()}...` : text;

/**
 * Collects the console of a page into `diagnostics`: messages of scripts, uncaught errors and the browser's own
 * messages. Keeps the first 100, each truncated to 500 characters.
 */
export const collectConsole = async (session: Session, diagnostics: PrintDiagnostics): Promise<void> => {
  const keep = (level: ConsoleMessage['level'], text: string): void => {
    if (diagnostics.console.length === maxMessages) diagnostics.omittedMessages += 1;
    else diagnostics.console.push({ level, text: truncateMessage(text) });
  };
  session.on('Runtime.consoleAPICalled', ({ type, args }) =>
    keep(levels[type] ?? 'info', args.map(describeRemoteObject).join(' ')),
  );
  session.on('Runtime.exceptionThrown', ({ exceptionDetails: { text, exception, lineNumber } }) =>
    keep('error', `${exception?.description ?? text} (line ${lineNumber + 1})`),
  );
  session.on('Log.entryAdded', ({ entry: { level, text, url } }) =>
    keep(levels[level] ?? 'info', url && !url.startsWith('about:') ? `${text} (${url})` : text),
  );
  await Promise.all([session.send('Runtime.enable'), session.send('Log.enable')]);
};
