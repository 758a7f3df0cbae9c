import type { z } from 'zod';
import type {
  addPasskeyRequest,
  PasskeyListResponse,
  PasskeyOptionsResponse,
  PasskeyResponse,
  passkeySignInRequest,
  renamePasskeyRequest,
} from '#contracts/http/passkeys.ts';
import type {
  listSessionsQuery,
  RevokedSessionsResponse,
  SessionListResponse,
  SessionResponse,
  SignInMethodsResponse,
  signInRequest,
} from '#contracts/http/session.ts';
import type {
  AcceptedInvitationResponse,
  changeMemberRequest,
  CreatedInvitationResponse,
  InvitationListResponse,
  InvitationPreviewResponse,
  inviteMemberRequest,
  listMembersQuery,
  MemberListResponse,
  MemberResponse,
} from '#contracts/http/members.ts';
import type {
  AccountListResponse,
  changePlanRequest,
  listAccountsQuery,
  listOperatorsQuery,
  openAccountRequest,
  OperatorAccountResponse,
  OperatorListResponse,
  ownerLinkRequest,
  ownerLinkResponse,
  PlanListResponse,
  reinstateAccountRequest,
  suspendAccountRequest,
} from '#contracts/http/operator.ts';

/** What a caller may write for a query: every field optional, as text or as the schema has it. */
export type Query<S extends z.ZodType> = { [K in keyof z.input<S>]?: z.input<S>[K] };

/** The endpoints of sessions, members, invitations and, for operators, accounts. As in `Endpoints`. */
export type PeopleEndpoints = {
  'GET /api/v1/session': { response: SessionResponse };
  'DELETE /api/v1/session': { response: void };
  'POST /api/v1/session': { body: z.input<typeof signInRequest>; response: SessionResponse };
  'GET /api/v1/session/methods': { response: SignInMethodsResponse };
  'GET /api/v1/session/sessions': { query: Query<typeof listSessionsQuery>; response: SessionListResponse };
  'DELETE /api/v1/session/sessions': { response: RevokedSessionsResponse };
  'DELETE /api/v1/session/sessions/{session_id}': { response: RevokedSessionsResponse };
  'GET /api/v1/session/passkeys': { response: PasskeyListResponse };
  'POST /api/v1/session/passkeys/options': { response: PasskeyOptionsResponse };
  'POST /api/v1/session/passkeys': { body: z.input<typeof addPasskeyRequest>; response: PasskeyResponse };
  'PUT /api/v1/session/passkeys/{passkey_id}': {
    body: z.input<typeof renamePasskeyRequest>;
    response: PasskeyResponse;
  };
  'DELETE /api/v1/session/passkeys/{passkey_id}': { response: void };
  'POST /api/v1/session/passkey/options': { response: PasskeyOptionsResponse };
  'POST /api/v1/session/passkey': { body: z.input<typeof passkeySignInRequest>; response: SessionResponse };

  'GET /api/v1/members': { query: Query<typeof listMembersQuery>; response: MemberListResponse };
  'PUT /api/v1/members/{person_id}': { body: z.input<typeof changeMemberRequest>; response: MemberResponse };
  'DELETE /api/v1/members/{person_id}': { response: void };
  'DELETE /api/v1/session/accounts/{account_id}': { response: void };
  'GET /api/v1/invitations': { response: InvitationListResponse };
  'POST /api/v1/invitations': { body: z.input<typeof inviteMemberRequest>; response: CreatedInvitationResponse };
  'DELETE /api/v1/invitations/{invitation_id}': { response: void };
  'POST /api/v1/invitations/preview': { body: { token: string }; response: InvitationPreviewResponse };
  'POST /api/v1/invitations/accept': { body: { token: string }; response: AcceptedInvitationResponse };

  'GET /api/v1/operator/accounts': { query: Query<typeof listAccountsQuery>; response: AccountListResponse };
  'POST /api/v1/operator/accounts': { body: z.input<typeof openAccountRequest>; response: OperatorAccountResponse };
  'GET /api/v1/operator/accounts/{account_id}': { response: OperatorAccountResponse };
  'POST /api/v1/operator/accounts/{account_id}/suspend': {
    body: z.input<typeof suspendAccountRequest>;
    response: OperatorAccountResponse;
  };
  'POST /api/v1/operator/accounts/{account_id}/reinstate': {
    body: z.input<typeof reinstateAccountRequest>;
    response: OperatorAccountResponse;
  };
  'PUT /api/v1/operator/accounts/{account_id}/plan': {
    body: z.input<typeof changePlanRequest>;
    response: OperatorAccountResponse;
  };
  'POST /api/v1/operator/accounts/{account_id}/owner-link': {
    body: z.input<typeof ownerLinkRequest>;
    response: z.output<typeof ownerLinkResponse>;
  };
  'GET /api/v1/operator/operators': { query: Query<typeof listOperatorsQuery>; response: OperatorListResponse };
  'DELETE /api/v1/operator/operators/{person_id}': { response: void };
  'GET /api/v1/operator/plans': { response: PlanListResponse };
};
