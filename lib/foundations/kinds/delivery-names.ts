const timeLength = 9
const randomLength = 4
const maxNameLength = 253 - timeLength - randomLength - 1

/** The name of a delivery. It ends with the time of the call and random digits, so the name alone identifies its record. */
export const deliveryName = (receiver: string, startedAt: number, fraction: number): string => {
  const time = startedAt.toString(36).padStart(timeLength, '0')
  const random = Math.floor(fraction * 36 ** randomLength)
    .toString(36)
    .padStart(randomLength, '0')
  return `${prefixOf(receiver)}-${time}${random}`
}

const prefixOf = (receiver: string): string => receiver.slice(0, maxNameLength).replace(/[^a-z0-9]+$/, '')

/** What the name of a delivery says. */
export interface DeliveryNameParts {
  /** The beginning of the Receiver's name, mostly all of it. */
  readonly prefix: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly name: string
}

/** Undefined if it is not the name of a delivery. */
export const parseDeliveryName = (name: string): DeliveryNameParts | undefined => {
  const [, prefix, time] = /^(.+)-([0-9a-z]{9})[0-9a-z]{4}$/.exec(name) ?? []
  if (prefix === undefined || time === undefined) return undefined
  return { prefix, startedAt: Number.parseInt(time, 36), name }
}

/** Whether a delivery with such a name may be one of this Receiver: names of Receivers may be longer than what fits. */
export const isOfReceiver = (prefix: string, receiver: string): boolean => prefixOf(receiver) === prefix
