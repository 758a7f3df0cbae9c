import { consumers, idOfStream, subjects } from '#contracts/names.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';
import { consumeMessages, type MessageHandler } from '#libs/bus/consume-messages.ts';
import { runTogether } from '#libs/concurrency/run-together.ts';
import { messageLogFields, processWithTrace } from '#libs/telemetry/message-tracing.ts';
import { traceRendering } from '#application/renders/telemetry.ts';
import { diagnoseRender } from '#application/renders/diagnose-render.ts';
import type { RunRenderDependencies } from '#application/renders/end-render.ts';
import { runRender } from '#application/renders/run-render.ts';
import type { PreviewMessage } from '#application/templates/preview.ts';
import { renderPreview } from '#application/templates/render-preview.ts';
import { regeneratePdf } from '#application/renders/regenerate-pdf.ts';
import { verifyPdf } from '#application/renders/verify-pdf.ts';
import { renderPermits } from './permits.ts';

type MessageData = { stream: string; regenerate?: true; diagnose?: true; verify?: true } | PreviewMessage;

const streamFieldsOf = (data: MessageData) => ('stream' in data ? { render: idOfStream(data.stream) } : {});

type RenderConsumer = Omit<Consumer, 'urgent'>;

const leaseMs = 10_000;
const consumer: RenderConsumer = { name: consumers.renderer, subject: subjects.renderRequested, leaseMs };
const officeConsumer: RenderConsumer = {
  name: consumers.officeRenderer,
  subject: subjects.officeRenderRequested,
  leaseMs,
};

/**
 * Takes renders from the bus until `signal` aborts, `concurrency` quick ones at a time. Resolves when the renders that
 * have started are finished.
 */
export const runRenderer = async (
  dependencies: RunRenderDependencies,
  bus: Bus,
  concurrency: number,
  signal: AbortSignal,
): Promise<void> => {
  const tracedDependencies = traceRendering(dependencies);
  const permits = renderPermits(concurrency);
  const consume = (
    taken: RenderConsumer,
    takenPermits: MessageHandler['permits'],
    loopSignal: AbortSignal,
  ): Promise<void> =>
    consumeMessages(
      bus,
      {
        consumer: taken,
        permits: takenPermits,
        handle: (message) => {
          const data = message.data as MessageData;
          if ('preview' in data) return processWithTrace(message, taken, () => renderPreview(tracedDependencies, data));
          const { stream, regenerate, diagnose, verify } = data;
          const handle = diagnose ? diagnoseRender : regenerate ? regeneratePdf : verify ? verifyPdf : runRender;
          return processWithTrace(message, taken, (span) =>
            handle(tracedDependencies, stream, message.deliveryCount, span),
          );
        },
        onError: (error, message) =>
          dependencies.report(
            {
              ...streamFieldsOf(message.data as MessageData),
              ...messageLogFields(message),
              error: String(error),
            },
            'render could not be processed; its message is delivered again',
          ),
      },
      loopSignal,
    );
  await runTogether(
    signal,
    (loopSignal) => consume(consumer, permits.renders, loopSignal),
    (loopSignal) => consume(officeConsumer, permits.officeRenders, loopSignal),
  );
};
