import { accountAnswer, accountEventsAnswer, accountEventsQuery, usageAnswer, usageQuery } from '#contracts/http/account.ts';
import { callErrors, named, type Route } from '../server/route.ts';

export const accountRoutes: Route[] = [
  {
    method: 'GET',
    path: '/api/v1/usage',
    tag: 'Account',
    summary: 'Read the use of a month',
    description: 'Renders that counted toward the quota, by day, and how the limits stand now.',
    permission: 'usage:read',
    request: { query: usageQuery },
    responses: [{ status: 200, description: 'The use.', schema: named('Usage', usageAnswer) }],
    errors: callErrors('invalid_request'),
  },
  {
    method: 'GET',
    path: '/api/v1/account',
    tag: 'Account',
    summary: 'Read the account',
    description: 'Its plan, and every limit that applies to it.',
    permission: 'usage:read',
    responses: [{ status: 200, description: 'The account.', schema: named('Account', accountAnswer) }],
    errors: callErrors(),
  },
  {
    method: 'GET',
    path: '/api/v1/account/events',
    tag: 'Account',
    summary: "Read the account's history",
    description: 'What happened to the account and its keys, newest first. No secret is ever in it.',
    permission: 'usage:read',
    request: { query: accountEventsQuery },
    responses: [{ status: 200, description: 'One page of events.', schema: named('AccountHistory', accountEventsAnswer) }],
    errors: callErrors('invalid_request'),
  },
];
