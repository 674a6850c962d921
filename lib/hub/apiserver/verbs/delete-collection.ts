import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { refOf } from '../../../foundations/kinds/object.ts'
import { ApiError } from '../../store/hub.ts'
import { pageOf } from '../../store/listed.ts'
import type { Handler } from '../call.ts'
import { viewOf } from '../views.ts'
import { respond } from '../wire/respond.ts'
import { deleteOptionsOf } from './delete-options.ts'
import { listOptionsOf } from './list-options.ts'
import { shortListText } from './list-text.ts'

/** Deletes all selected objects, and responds with their list. */
export const deleteCollection: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const { query } = listOptionsOf(call)
  const options = await deleteOptionsOf(call)
  const { items, ...found } = await api.hub.list(query)
  for (const object of items) await deleteIfThere(object)
  return respond(call, await shortListText(view.list, pageOf({ items, ...found })), view.format)

  async function deleteIfThere(object: KubernetesObject) {
    try {
      await api.hub.delete(refOf(object), { ...options, uid: object.metadata.uid })
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error
    }
  }
}
