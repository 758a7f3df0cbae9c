import type { ReactElement } from 'react';
import { Card } from '../../components/Card.tsx';
import { optionsOf, Select } from '../../components/fields.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.people;

export const roleNames = ['owner', 'developer', 'viewer'] as const;

/** What each role may do. */
export const RoleTexts = (): ReactElement => (
  <Card title={texts.rolesTitle}>
    <FieldList values={Object.fromEntries(roleNames.map((role) => [strings.roles[role], texts.roleTexts[role]]))} />
  </Card>
);

type Role = (typeof roleNames)[number];

type RoleSelectProps = { value: Role; onChange: (role: Role) => void; error?: string | undefined };

/** Chooses a role, and says what it may do. */
export const RoleSelect = ({ value, onChange, error }: RoleSelectProps): ReactElement => (
  <Select
    label={strings.people.role}
    description={strings.people.roleTexts[value]}
    value={value}
    onChange={onChange}
    error={error}
    options={optionsOf(strings.roles)}
  />
);
