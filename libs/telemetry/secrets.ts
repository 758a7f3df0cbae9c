export const hidden = '[hidden]';

/** Fields that could open an account, or that belong to the caller. */
export const secretFields = [
  'authorization', 'cookie', 'set-cookie', 'x-service-signature', 'webhook-signature', 'webhook_headers',
  'key', 'apiKey', 'api_key', 'secret', 'webhookSecret', 'token', 'password',
  'data', 'html', 'content', 'header_html', 'footer_html', 'pdf', 'pdf_base64',
];

const fields = new RegExp(`("(?:${secretFields.join('|')})":)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const apiKeys = /svc_(test|live)_[A-Za-z0-9_-]+/g;
const linkTokens = /([?&]token=)[^&\s"]+/g;

/**
 * A line of JSON without its secrets. It works on the finished text, since that costs a fraction of
 * walking through every logged object, and reaches any depth and what libraries put into error messages.
 */
export const withoutSecrets = (line: string): string =>
  line.replace(fields, `$1"${hidden}"`).replace(apiKeys, `svc_$1_${hidden}`).replace(linkTokens, `$1${hidden}`);
