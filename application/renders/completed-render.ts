import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

/** A recorded render with a PDF: its request, the time of the request, and its end. */
export type CompletedRender = {
  requested: EventData['RenderRequested'];
  requestedAt: Date;
  completed: EventData['RenderCompleted'];
};

/** The completed render with this history; null if it has no PDF. */
export const completedRenderOf = (history: readonly RecordedEvent[]): CompletedRender | null => {
  const request = history.find((event) => event.type === 'RenderRequested');
  const completed = history.find((event) => event.type === 'RenderCompleted')?.data;
  if (!request || !completed) return null;
  return { requested: request.data, requestedAt: new Date(request.metadata.occurredAt), completed };
};
