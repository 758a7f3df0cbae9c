import type { BlobRef } from '#contracts/events/blob-ref.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { DecryptionError } from '#libs/secrets/encryption.ts';
import { type SealDependencies, unseal } from '#libs/secrets/sealed-box.ts';

/**
 * The value in a sealed box of a recorded request; `what` names it for the caller. Another attempt cannot decrypt it
 * either, so the error is final.
 * @throws BlobNotFound; ApiError render_input_lost if it cannot be decrypted
 */
export const unsealForRender = async (
  dependencies: SealDependencies,
  owner: string,
  sealed: BlobRef,
  what: string,
): Promise<unknown> => {
  try {
    return await unseal(dependencies, owner, sealed);
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    throw ApiError.of(
      'render_input_lost',
      `${what} of the recorded request cannot be decrypted. ${error.message} ` +
        'You can also send the whole request again with POST /api/v1/render.',
    );
  }
};
