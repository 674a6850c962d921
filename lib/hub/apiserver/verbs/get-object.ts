import { notFound } from '../../store/api-errors.ts'
import type { Api, Call, Handler } from '../call.ts'
import { refOfCall } from '../call.ts'
import { flowOf } from '../fairness/flow.ts'
import { viewOf } from '../views.ts'
import { answer } from '../wire/answer.ts'

/** In characters: what is shorter is sent at once, a part of what a connection holds anyway. */
const longText = 64 * 1024

export const getObject: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const object = await api.hub.get(refOfCall(call))
  if (!object) throw notFound(call.served.kind, call.info.name)
  const text = view.one(object)
  if (text.length > longText) await holdRoom(api, call, text.length)
  return answer(call, text, view.format)
}

const holdRoom = async ({ fairness }: Api, { user, request, sent }: Call, length: number): Promise<void> => {
  await fairness?.answers.enter(flowOf(user), request)
  // Beside the text, its bytes and what the connection makes of them.
  fairness?.answers.hold(flowOf(user), 3 * length, sent)
}
