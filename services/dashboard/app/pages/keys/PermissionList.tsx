import '../../styles/keys.css';
import type { ReactElement } from 'react';
import type { Permission } from '#contracts/events/account.ts';
import { useAccount } from '../../api/session.ts';
import { Checkbox } from '../../components/fields.tsx';
import { strings } from '../../strings/strings.ts';

const { permissionTexts, groups, permissionNotYours, permissions: title, permissionsHint } = strings.keys;
const all = Object.keys(permissionTexts) as Permission[];

/** The permissions of a key that is created without changes: everything that documents need. */
export const documentPermissions = all.slice(0, all.indexOf('keys:read'));
const administrationPermissions = all.slice(documentPermissions.length);

type PermissionListProps = { chosen: readonly Permission[]; onChange: (chosen: Permission[]) => void };

/** Chooses permissions, among those that the person has. */
export const PermissionList = ({ chosen, onChange }: PermissionListProps): ReactElement => {
  const own = useAccount()?.permissions ?? [];
  const group = (name: string, list: readonly Permission[]): ReactElement => (
    <div role="group" aria-label={name}>
      <p className="small muted">{name}</p>
      {list.map((permission) => (
        <Checkbox
          key={permission}
          label={permissionTexts[permission]}
          description={own.includes(permission) ? <span className="mono">{permission}</span> : permissionNotYours}
          isDisabled={!own.includes(permission)}
          isSelected={chosen.includes(permission)}
          onChange={(isChosen) => onChange(all.filter((one) => (one === permission ? isChosen : chosen.includes(one))))}
        />
      ))}
    </div>
  );
  return (
    <fieldset className="permission-list">
      <legend className="field-label">{title}</legend>
      <p className="small muted">{permissionsHint}</p>
      <div className="permission-groups">
        {group(groups.documents, documentPermissions)}
        {group(groups.administration, administrationPermissions)}
      </div>
    </fieldset>
  );
};
