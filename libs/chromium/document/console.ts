import type { Protocol } from 'devtools-protocol';
import type { Session } from '../cdp/connection.ts';
import type { ConsoleMessage, PrintDiagnostics } from '../print-request.ts';

const maxMessages = 100;
const maxMessageLength = 500;

const levels: Record<string, ConsoleMessage['level']> = {
  debug: 'debug',
  verbose: 'debug',
  error: 'error',
  assert: 'error',
  warning: 'warning',
};

const describeRemoteObject = ({
  type,
  value,
  unserializableValue,
  description,
}: Protocol.Runtime.RemoteObject): string => {
  if (type === 'string') return String(value);
  return description ?? unserializableValue ?? (value === undefined ? type : JSON.stringify(value));
};

/** The first characters in a string of their own: a slice of V8 holds on to the whole text, of which a page can say a hundred times fifty megabytes. */
const truncateMessage = (text: string): string =>
  text.length > maxMessageLength ? `${Buffer.from(text.slice(0, maxMessageLength)).toString()}...` : text;

/** Keeps what the page says into `findings`: its scripts' messages, errors that nobody caught, and what the browser has to complain of. The first hundred, each cut to 500 characters. */
export const collectConsole = async (session: Session, findings: PrintDiagnostics): Promise<void> => {
  const keep = (level: ConsoleMessage['level'], text: string): void => {
    if (findings.console.length === maxMessages) findings.omittedMessages += 1;
    else findings.console.push({ level, text: truncateMessage(text) });
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
