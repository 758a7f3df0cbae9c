/** What the service answers if it fails; the dashboard does not repeat such a request by itself. For `route.fulfill`. */
export const failure = {
  status: 500,
  json: { error: 'internal_error', message: 'The service failed.', code: 500, request_id: 'req_1' },
};
