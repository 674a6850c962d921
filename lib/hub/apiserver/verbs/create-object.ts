import type { Handler } from '../call.ts'
import { viewOf } from '../views.ts'
import { bodyObject } from '../wire/body.ts'
import { respond } from '../wire/respond.ts'
import { requestObject } from './request-object.ts'
import { writeOptionsOf } from './write-options.ts'

/** POST of an object: 201 with the object as it is stored. A name may be generated from `metadata.generateName`. */
export const createObject: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const options = writeOptionsOf(api, call, 'CreateOptions')
  const object = requestObject(call, await bodyObject(call.request, call.served.kind.kind))
  const created = await api.hub.create(object, options)
  return respond(call, view.one(created), view.format, 201)
}
