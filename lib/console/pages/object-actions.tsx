import type { ObjectView } from '../../hub-client/read-object.ts'
import { actionsOf, missingActions } from '../model/object-actions.ts'
import { Actions } from '../parts/actions.tsx'
import { useConsole } from '../parts/scope.tsx'

interface Props {
  readonly view: ObjectView
  readonly refresh: () => void
}

/** What the person may do with the object. */
export const ObjectActions = ({ view, refresh }: Props) => {
  const { api } = useConsole()
  return <Actions actions={actionsOf(view)} missing={missingActions(view, api.user.name)} refresh={refresh} />
}
