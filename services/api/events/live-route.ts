import { z } from 'zod';
import { streamLimits } from './live-streams.ts';
import { maxMissedEvents } from './missed-events.ts';
import { route, type Route } from '../server/route.ts';

const eventStreamType = 'text/event-stream';

const description = `A stream of server-sent events (\`text/event-stream\`): one message for each event of the account, \
soon after it happens and when the other routes show it. Use it instead of polling.

The \`data\` of a message is JSON with the \`type\` of the event and its \`subject\`, such as \`render_<id>\`, \
\`job_<id>\`, \`tpl_<id>\` or \`key_<id>\`; read the subject for more. The \`id\` is the position of the event. A client \
that connects again sends the last one as \`Last-Event-ID\` and gets what it has missed. If that is more than \
${maxMissedEvents.toLocaleString('en')} events, or cannot be read in time, the message is \
\`event: reset\`: then read everything anew. The last message is \`event: end\`, with a \`reason\`: \
\`access_ended\`, \`too_slow\` or \`service_stopping\`.

A key or person can have ${streamLimits.perCaller} streams at once, an account ${streamLimits.perAccount}, or \
fewer when the process is nearly full. A comment is sent every 15 seconds. The stream ends within 30 seconds after \
the key is revoked or the session ends.

\`\`\`text
retry: 3000
id: 1041

id: 1044
data: {"type":"RenderCompleted","subject":"render_01JR04W1PD2M5S8V3Q6X9Z7TKF"}
\`\`\``;

/** The events of the account as they happen. */
export const liveEventsRoute: Route = route({
  method: 'GET',
  path: '/api/v1/events/live',
  operationId: 'streamEvents',
  tag: 'Account',
  summary: 'Follow the events of the account',
  description,
  permission: 'events:read',
  request: {
    headers: z.object({
      'Last-Event-ID': z.string().optional().describe('The id of the last message that the client has received.'),
    }),
  },
  responses: [{ status: 200, description: 'The stream.', schema: null, contentType: eventStreamType }],
  errors: ['too_many_streams'],
  handle: async ({ account, actor, reply }, { liveStreams, hasAccess }) => {
    const { request, raw } = reply;
    reply.headers({
      'content-type': `${eventStreamType}; charset=utf-8`,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    if (request.method === 'HEAD') return reply.send();
    const lastEventId = request.headers['last-event-id'];
    const body = await liveStreams.open({
      accountId: account.id,
      callerId: JSON.stringify([actor.kind, 'id' in actor ? actor.id : null]),
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
      isAllowed: () => hasAccess(request, 'events:read'),
    });
    if (raw.closed) body.destroy();
    return reply.send(body);
  },
});
