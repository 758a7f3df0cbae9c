/** The texts of the page People. */
export const people = {
  text: 'Who can act for this account in the dashboard, and what they may do.',
  invite: 'Invite someone',
  members: 'Members',
  person: 'Person',
  role: 'Role',
  joined: 'Joined',
  lastSignIn: 'Last sign-in',
  source: 'Joined by',
  sources: { link: 'One-time link', invitation: 'Invitation', groups: 'Identity provider' },
  never: 'never',
  actions: (name: string) => `Actions for ${name}`,
  changeRole: 'Change the role',
  changeRoleOf: (name: string) => `Role of ${name}`,
  roleChanged: (name: string) => `The role of ${name} was changed`,
  remove: 'Remove from the account',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    'The next request of this person to the account fails. What the person did stays in the audit. API keys that the ' +
    'person created stay valid: revoke them on the page API keys.',
  removed: (name: string) => `${name} was removed`,
  leave: 'Leave the account',
  leaveTitle: (name: string) => `Leave “${name}”?`,
  leaveText: 'You lose access to this account at once. Only an owner can invite you again.',
  invitations: 'Invitations',
  email: 'Email',
  state: 'State',
  open: 'Open',
  invitedBy: 'Invited by',
  expires: 'Expires',
  withdraw: 'Withdraw',
  withdrawTitle: (email: string) => `Withdraw the invitation of ${email}?`,
  withdrawText: 'The link stops working at once.',
  withdrawn: 'The invitation was withdrawn',
  noInvitations: 'No open invitations',
  noInvitationsText:
    'Invite someone here: you get a link to pass on. Or print a one-time link on the machine of the ' +
    'service, with the same COLOPHON_DATA_DIR:',
  noMembers: 'This account has no members yet',
  noMembersText:
    'Invite someone here, or print a one-time link on the machine of the service, with the same COLOPHON_DATA_DIR:',
  inviteTitle: 'Invite someone to this account',
  emailHint: 'It says for whom the link is. You pass the link on yourself: the service does not send email.',
  createLink: 'Create the link',
  invitedTitle: 'Pass on this link',
  invitedText: (email: string) =>
    `Send the link to ${email}. Anyone who has it can accept: it works once, for 7 days, and is shown only now.`,
  link: 'Link of the invitation',
  roleTexts: {
    owner: 'Everything, also people and settings.',
    developer: 'Everything except people and settings: renders, templates, keys, webhooks.',
    viewer: 'Sees everything but secrets, and changes nothing.',
  },
  rolesTitle: 'What the roles may do',
  shownOnly: 'Only the person whose id is in the URL is shown.',
  showAll: 'Show everyone',
};

/** The texts of the page that the link of an invitation leads to. */
export const invitation = {
  title: 'Invitation',
  text: (account: string, role: string) => `You are invited to the account ${account} as ${role}.`,
  forEmail: 'For',
  accept: 'Accept the invitation',
  acceptAs: (name: string) => `Accept as ${name}`,
  newPerson:
    'You are not signed in. If you sign in here with an identity provider or a passkey, do that first, and then open ' +
    'this link again. If you accept now, you are a new person, and can add a passkey for the next time.',
  signInFirst: 'Sign in first',
  otherPerson: (invited: string, signedIn: string) =>
    `The invitation is for ${invited}, and you are signed in as ${signedIn}. Sign out to accept it, or ask for an ` +
    'invitation for your email.',
  signOut: 'Sign out and continue',
  missing: 'The link is not complete: it ends with a long text after #. Copy the whole link.',
  toDashboard: 'Go to the dashboard',
};
