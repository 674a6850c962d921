import { isHeld } from '../hub/deletion.ts'
import { answer } from './answer.ts'
import type { Handler } from './call.ts'
import { refOfCall } from './call.ts'
import { deleteOptionsOf } from './delete-options.ts'
import { success } from './status.ts'
import { viewOf } from './views.ts'

/** Answers with the object while finalizers keep it, and with a Status when it is gone. */
export const deleteObject: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const last = await api.hub.delete(refOfCall(call), await deleteOptionsOf(call))
  if (isHeld(last)) return answer(call, view.one(last), view.format)
  const { kind } = call.served
  const { name, uid } = last.metadata
  const status = success({ name, ...(kind.group && { group: kind.group }), kind: kind.plural, uid })
  return answer(call, JSON.stringify(status), view.format)
}
