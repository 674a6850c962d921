import { fieldsOf } from './event-error.ts'

const event = 'request for what is on a cluster'

/** Requests from `apiserver` to the function `live`: a path of the API below `/fleet/live`, and the person whom `apiserver` has authenticated. */
export interface LiveEvent {
  /** With its query. */
  readonly path: string
  readonly user: { readonly name: string; readonly groups: readonly string[] }
}

/** Throws EventError. */
export const parseLiveRequest = (value: unknown): LiveEvent => {
  const request = fieldsOf(event, value)
  const user = request.object('user')
  return { path: request.text('path'), user: { name: user.text('name'), groups: user.texts('groups') } }
}

export const sample = {
  path: '/fleet/live?unit=Kustomization/apps/web',
  user: { name: 'jane', groups: ['devs', 'system:authenticated'] },
} satisfies LiveEvent
