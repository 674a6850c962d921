/** The record of a webhook's call to which the pass that it caused adds its outcome. */
import type { KubernetesObject } from './object.ts'

/** Keelson's own annotation, set together with the request to reconcile. Anyone who may write the object may have changed it. */
export const deliveryAnnotation = 'keelson.dev/delivery'

/** The number of objects per delivery whose outcome is recorded: each takes a write. */
export const maxOutcomes = 10

export interface DeliveryMark {
  /** UID of the Receiver. */
  readonly receiver: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly name: string
  /** Of the object among those that the delivery triggered. */
  readonly index: number
  /** The request to reconcile that the delivery made. */
  readonly requestedAt: string
}

/** The mark in an object's annotation; undefined if absent or malformed. */
export const deliveryMarkOf = ({ metadata }: Pick<KubernetesObject, 'metadata'>): DeliveryMark | undefined => {
  const text = metadata.annotations?.[deliveryAnnotation]
  if (!text) return undefined
  try {
    const { receiver, startedAt, name, index, requestedAt } = JSON.parse(text) as Record<string, unknown>
    const isPlace = isShort(receiver) && Number.isSafeInteger(startedAt) && isShort(name) && isShort(requestedAt)
    if (!isPlace || !Number.isInteger(index) || (index as number) < 0 || (index as number) >= maxOutcomes)
      return undefined
    return { receiver, startedAt, name, index, requestedAt } as DeliveryMark
  } catch {
    return undefined
  }
}

const isShort = (value: unknown): value is string => typeof value === 'string' && /^[\w.:+-]{1,253}$/.test(value)
