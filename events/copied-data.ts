import { fieldsOf } from './event-error.ts'

const event = 'request for what a ResourceSet copies'

const operation = 'copiedData'

/** Requests from `apiserver` to the function `resourceset`, whose other events are batches of its queue: a ResourceSet of a runner, of which the Secrets and ConfigMaps are to be found that it copies. */
export interface CopiedDataEvent {
  readonly operation: typeof operation
  readonly set: {
    readonly namespace: string
    readonly name: string
  }
}

/** Whether an event is such a request: batches have no field `operation`. */
export const isCopiedDataRequest = (value: unknown): boolean => fieldsOf(event, value).value('operation') === operation

/** Throws EventError. */
export const parseCopiedDataRequest = (value: unknown): CopiedDataEvent => {
  const set = fieldsOf(event, value).object('set')
  return { operation, set: { namespace: set.text('namespace'), name: set.text('name') } }
}

export const sample = { operation, set: { namespace: 'apps', name: 'web' } } satisfies CopiedDataEvent
