import type { Protocol } from 'devtools-protocol';
import { CommandFailed } from '../cdp/errors.ts';
import type { Session } from '../cdp/connection.ts';

/** @throws the error of the page if its process has ended */
const requireAlive = async (session: Session): Promise<void> => {
  await session.send('Page.getFrameTree').catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error;
  });
};

/**
 * The PDF of the document in the page.
 * @throws the error of the page if its process has ended; CommandFailed; ResponseTooLarge
 */
export const printToPdf = async (
  session: Session,
  parameters: Protocol.Page.PrintToPDFRequest,
): Promise<Buffer<ArrayBuffer>> => {
  const { data } = await session.send('Page.printToPDF', parameters).catch(async (error: unknown): Promise<never> => {
    // The browser says this before it says that the process has ended.
    if (error instanceof CommandFailed && /printing failed/i.test(error.message)) await requireAlive(session);
    throw error;
  });
  return Buffer.from(data, 'base64');
};
