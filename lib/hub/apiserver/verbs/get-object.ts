import { notFound } from '../../store/api-errors.ts'
import type { Handler } from '../call.ts'
import { memoryShareOf, refOfCall } from '../call.ts'
import { viewOf } from '../views.ts'
import { respond } from '../wire/respond.ts'

/** In characters: shorter texts are sent at once, a part of what a connection buffers anyway. */
const longText = 64 * 1024

/** GET of an object, or an ApiError (404). A long one waits for memory, like lists. */
export const getObject: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const object = await api.hub.get(refOfCall(call))
  if (!object) throw notFound(call.served.kind, call.info.name)
  const text = view.one(object)
  if (text.length > longText) {
    const memory = memoryShareOf(api, call)
    await memory.enter()
    // The text, its bytes, and the connection's copy.
    memory.hold(3 * text.length)
  }
  return respond(call, text, view.format)
}
