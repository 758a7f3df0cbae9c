import { createSecretMask } from '#application/deliveries/mask-secrets.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { LoadedPage, PageToLoad } from '#libs/chromium/print-request.ts';
import { maskUrl } from '#libs/domain/webhook-url.ts';

/** Masks the URL, headers and cookies of a page in what is recorded about its render. */
export const maskPage = ({ url, headers, cookies }: PageToLoad) => {
  const cookieValues = cookies.map(({ value }, index) => [`cookie ${index}`, value] as const);
  const target = { url, method: 'POST', headers: { ...headers, ...Object.fromEntries(cookieValues) } } as const;
  const maskText = createSecretMask(target);
  const maskField = ([name, value]: [string, unknown]): [string, unknown] => {
    if (typeof value !== 'string') return [name, value];
    return [name, name === 'url' && URL.canParse(value) ? maskUrl(value).url : maskText(value)];
  };
  return {
    text: maskText,
    loadedPage: (page: LoadedPage): LoadedPage => ({ ...page, url: maskUrl(page.url).url }),
    warning: (warning: RenderWarning): RenderWarning =>
      warning.kind === 'resource_failed'
        ? { ...warning, url: maskText(warning.url), reason: maskText(warning.reason) }
        : warning,
    error: (error: unknown): unknown => {
      if (!(error instanceof ApiError)) return error;
      const { name, message, extra } = error.fields;
      return ApiError.from({
        name,
        message: maskText(message),
        extra: Object.fromEntries(Object.entries(extra).map(maskField)),
      });
    },
  };
};
