import { isHeld } from '../../store/deletion.ts'
import type { Handler } from '../call.ts'
import { refOfCall } from '../call.ts'
import { success } from '../status.ts'
import { viewOf } from '../views.ts'
import { respond } from '../wire/respond.ts'
import { deleteOptionsOf } from './delete-options.ts'

/** Kinds for which Kubernetes responds to a deletion with the last state, for clients that read it. */
const shownOnDeletion: ReadonlySet<string> = new Set(['/ServiceAccount'])

/** Responds with the object while finalizers keep it, and with a Status once it is gone. */
export const deleteObject: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const last = await api.hub.delete(refOfCall(call), await deleteOptionsOf(call))
  const { kind } = call.served
  if (isHeld(last) || shownOnDeletion.has(`${kind.group}/${kind.kind}`))
    return respond(call, view.one(last), view.format)
  const { name, uid } = last.metadata
  const status = success({ name, ...(kind.group && { group: kind.group }), kind: kind.plural, uid })
  return respond(call, JSON.stringify(status), view.format)
}
