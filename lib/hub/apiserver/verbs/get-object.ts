import { notFound } from '../../store/api-errors.ts'
import type { Handler } from '../call.ts'
import { refOfCall } from '../call.ts'
import { viewOf } from '../views.ts'
import { answer } from '../wire/answer.ts'

export const getObject: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const object = await api.hub.get(refOfCall(call))
  if (!object) throw notFound(call.served.kind, call.info.name)
  return answer(call, view.one(object), view.format)
}
