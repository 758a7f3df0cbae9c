import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { requestBlob } from '../../api/client.ts';
import { isOfficeType } from '../playground/request.ts';

export type InputPart = 'input' | 'header' | 'footer';

/** Longer texts are only offered as a download. */
export const maxShownBytes = 200_000;

/** Whether a part of the request can be shown: it is text, and not too long. */
export const isShown = (render: RenderDetailResponse, part: InputPart): boolean => {
  const recorded = render.request[part];
  return (
    recorded !== null &&
    recorded.size_bytes <= maxShownBytes &&
    !(part === 'input' && isOfficeType(render.input_type ?? ''))
  );
};

/** The text of a part of the recorded request. */
export const useRecordedText = (render: RenderDetailResponse, part: InputPart): UseQueryResult<string> =>
  useQuery({
    queryKey: ['render-input', render.id, part],
    queryFn: async ({ signal }) => {
      const parts = { params: { id: render.id }, query: { part }, signal };
      return (await requestBlob('/api/v1/renders/{id}/input', parts)).text();
    },
    staleTime: Infinity,
    retry: false,
    enabled: isShown(render, part),
  });
