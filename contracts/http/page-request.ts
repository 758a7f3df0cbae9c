import { z } from 'zod';
import { isHeaderToken, mask, maxHeaders, requestHeaders } from './request-headers.ts';

export const maxUrlLength = 2048;

const isPlainHttp = (text: string): boolean => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username + url.password === '' && url.hostname !== '' && url.href.length <= maxUrlLength;
};

/** An http or https URL in its canonical form, without user name and password. */
const httpUrl = z
  .string()
  .max(maxUrlLength)
  .refine(isPlainHttp, 'must be an absolute http:// or https:// URL without user name and password')
  .overwrite((text) => URL.parse(text)?.href ?? text);

/** `data` of a request with the input type `url`. */
export const pageUrl = httpUrl.refine(
  (url) => !url.includes(mask),
  'must not contain ***, which marks a masked part in jobs; send the original URL',
);

export const maxCookies = 20;
/** In characters. */
export const maxCookieLength = { name: 128, value: 1024, path: 256, all: 8192 } as const;

const cookieValuePattern = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
const cookiePathPattern = /^\/[\x21-\x3a\x3c-\x7e]*$/;

const pageCookie = z.strictObject({
  name: z.string().refine(isHeaderToken, "must have 1 to 128 letters, digits and !#$%&'*+-.^_`|~"),
  value: z
    .string()
    .max(maxCookieLength.value)
    .regex(
      cookieValuePattern,
      'must consist of visible ASCII characters other than quotation marks, commas, semicolons and backslashes',
    )
    .refine((value) => !value.includes(mask), 'must not contain ***, which marks a masked value; send the original'),
  path: z
    .string()
    .max(maxCookieLength.path)
    .regex(cookiePathPattern, 'must begin with / and consist of visible ASCII characters other than semicolons')
    .optional()
    .describe('The cookie is sent for this path and the paths below it. Default: `/`.'),
});
export type PageCookie = z.output<typeof pageCookie>;

const onlyForOrigin =
  'They are sent only to the origin of the URL (scheme, host and port): not after a redirect to another origin, and ' +
  'not with images, frames or other resources from other origins. The values are stored encrypted until the render ' +
  'has ended, then erased; events show only the names.';

const urlCookies = z
  .array(pageCookie)
  .max(maxCookies)
  .superRefine((cookies, context) => {
    const keys = cookies.map(({ name, path = '/' }) => `${name} ${path}`);
    const at = keys.findIndex((key, index) => keys.indexOf(key) < index);
    if (at >= 0) context.addIssue({ code: 'custom', path: [at, 'name'], message: 'this cookie occurs twice' });
    if (cookies.reduce((sum, { name, value }) => sum + name.length + value.length, 0) > maxCookieLength.all)
      context.addIssue({
        code: 'custom',
        message: `all names and values together have at most ${maxCookieLength.all} characters`,
      });
  })
  .describe(
    `Only with \`input_type: "url"\`. At most ${maxCookies} cookies for the page. Scripts of the page cannot read ` +
      `them. A cookie that the server sets replaces one of the same name. ${onlyForOrigin}`,
  );

const urlHeaders = requestHeaders((name) => name === 'cookie').describe(
  `Only with \`input_type: "url"\`. At most ${maxHeaders} additional headers of the requests for the page, such as ` +
    `\`Authorization\` or \`User-Agent\`; cookies belong in \`url_cookies\`. ${onlyForOrigin}`,
);

/** The fields of a request with the input type `url`. */
export const pageRequestFields = { url_headers: urlHeaders.optional(), url_cookies: urlCookies.optional() } as const;

export const maxSelectorLength = 500;

/** The render options about the page that a browser loads. */
export const pageOptionFields = {
  wait_for_selector: z
    .string()
    .min(1)
    .max(maxSelectorLength)
    .optional()
    .describe(
      'A CSS selector. The document is printed once an element matches it, visible or not. Documents without scripts ' +
        'are checked once. If no element matches within the processing time, the error is `selector_not_found`.',
    ),
  base_url: httpUrl
    .optional()
    .describe(
      'For html, markdown and templates: the http or https URL against which relative URLs of images, styles and ' +
        'links are resolved. A `<base href>` of the document has priority.',
    ),
} as const;
