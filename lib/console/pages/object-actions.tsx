import { undoRefusal } from '../../foundations/fleet/undo-targets.ts'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { actionsOf, missingActions } from '../model/object-actions.ts'
import { objectHref } from '../model/route.ts'
import { Actions } from '../parts/actions.tsx'
import { useConsole } from '../parts/scope.tsx'

interface Props {
  readonly view: ObjectView
  readonly refresh: () => void
}

/** What the person may do with the object. */
export const ObjectActions = ({ view, refresh }: Props) => {
  const { api } = useConsole()
  const { kind, object, allowed } = view
  const isOffered = allowed.mayPatch && undoRefusal(object) === undefined
  return (
    <>
      <Actions actions={actionsOf(view)} missing={missingActions(view, api.user.name)} refresh={refresh} />
      {isOffered && (
        <a class="button" href={objectHref({ kind: kind.kind, ...object.metadata }, 'changes')}>
          Undo…
        </a>
      )}
    </>
  )
}
