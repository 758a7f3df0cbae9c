import type { ReactElement } from 'react';
import { Select } from '../../components/fields.tsx';
import { strings } from '../../strings/strings.ts';
import { roleNames } from './RoleTexts.tsx';

type Role = (typeof roleNames)[number];

/** Chooses a role, and says what it may do. */
export const RoleSelect = ({
  value,
  onChange,
  error,
}: {
  value: Role;
  onChange: (role: Role) => void;
  error?: string | undefined;
}): ReactElement => (
  <Select
    label={strings.people.role}
    description={strings.people.roleTexts[value]}
    value={value}
    onChange={onChange}
    error={error}
    options={roleNames.map((role) => ({ value: role, label: strings.roles[role] }))}
  />
);
